/** A function with thirty-nine users, and the answer that renames it in all forty files. */
import { block } from "./panel.js";
import { BUG, CART, REPAIR } from "./stage.js";

const USERS = 39;

function files(name: string): Record<string, string> {
  const found: Record<string, string> = {
    "prices.py": CART.replace(BUG, REPAIR).replace("def total", `def ${name}`),
  };
  for (let number = 0; number < USERS; number += 1) {
    found[`order_${String(number).padStart(2, "0")}.py`] = [
      `from prices import ${name}`,
      "",
      "",
      `def order_${String(number)}(prices):`,
      `    return ${name}(prices) + ${String(number)}`,
      "",
    ].join("\n");
  }
  return found;
}

export const filesBefore = files("total");
export const filesAfter = files("sum_of_prices");

/** What a member answers. */
export const renaming = Object.entries(filesBefore)
  .map(([path, before]) => block(path, before, filesAfter[path] ?? ""))
  .join("\n");

export function isOnDisk(read: (path: string) => string, files: Record<string, string>): boolean {
  return Object.entries(files).every(([path, text]) => read(path) === text);
}
