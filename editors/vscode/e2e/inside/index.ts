/** The tests that run in VS Code's own extension host: what it loads and runs, as one bundle. */
import { format } from "node:util";
import Mocha from "mocha";
import { PATIENCE } from "../support/condition.js";
import { MARK } from "./lines.js";

/** Called by the extension host; rejects when a test failed, which becomes the exit code. */
export async function run(): Promise<void> {
  const mocha = new Mocha({
    ui: "bdd",
    timeout: PATIENCE + 5_000,
    color: false,
    reporter: "spec",
    forbidOnly: true,
  });
  Mocha.reporters.Base.consoleLog = (...args: unknown[]) => console.log(`${MARK}${format(...args)}`);
  mocha.suite.emit("pre-require", globalThis, "", mocha);
  await import("./activation.js");
  await import("./documents.js");
  await import("./findings.js");
  await import("./proposals.js");
  await import("./prompts.js");
  const failures = await new Promise<number>((resolve) => mocha.run(resolve));
  if (failures > 0) throw new Error(`${failures} tests inside the extension host failed`);
}
