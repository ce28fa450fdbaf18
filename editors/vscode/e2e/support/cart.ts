/** The program that the scenarios speak of, and its repair. */
export const CART = [
  "def total(prices):",
  "    result = 0",
  "    for price in prices:",
  "        result = price",
  "    return result",
  "",
].join("\n");

export const BUG = "        result = price\n";
export const REPAIR = "        result += price\n";
