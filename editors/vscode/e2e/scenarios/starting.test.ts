import { CART, scenario } from "../support/stage.js";

scenario(
  "opens a file and offers its actions in the light bulb",
  { files: { "cart.py": CART }, says: {} },
  async ({ window, picture }) => {
    await window.openFile("cart.py", 4);
    await window.codeActions("Ensemble: explain");
    await picture("light-bulb");
  },
);
