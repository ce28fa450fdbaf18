import { existsSync, readFileSync } from "node:fs";
import { expect, test } from "vitest";
import manifest from "../../package.json" with { type: "json" };

const file = (path: string) => new URL(`../../${path}`, import.meta.url);

test.each(["cart.py", "test_cart.py"])("the walkthrough's %s is the program of the examples", (name) => {
  const packed = readFileSync(file(`walkthrough/sample/${name}.txt`), "utf8");
  expect(packed).toBe(readFileSync(file(`../../examples/shop/${name}`), "utf8"));
});

test("every step of the walkthrough has its picture", () => {
  const steps = manifest.contributes.walkthroughs.flatMap((walkthrough) => walkthrough.steps);
  expect(steps.filter((step) => !existsSync(file(step.media.svg)))).toEqual([]);
});
