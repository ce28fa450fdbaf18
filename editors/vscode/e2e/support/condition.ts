/** Milliseconds that a scenario waits for anything: the first wait includes starting Python and an engine. */
export const PATIENCE = 90_000;

/** Wait until `look` returns something (neither false, null nor undefined) and return it. */
export async function until<T>(
  what: string,
  look: () => Promise<T | null | undefined | false> | T | null | undefined | false,
  patience = PATIENCE,
): Promise<T> {
  const end = Date.now() + patience;
  let problem = "";
  for (;;) {
    try {
      const found = await look();
      if (found !== false && found !== null && found !== undefined) return found;
      problem = "";
    } catch (error) {
      problem = `: ${String(error)}`;
    }
    if (Date.now() > end)
      throw new Error(`never came true within ${String(patience / 1000)} s: ${what}${problem}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}
