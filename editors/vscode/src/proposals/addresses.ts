/** Addresses of the two virtual texts of a file's diff. */
import type { Side } from "./review.js";

/** Not `ensemble`, whose documents the server itself provides. */
export const SCHEME = "ensemble-diff";

export interface Address {
  readonly proposal: string;
  /** The file's own URI, as the server spells it. */
  readonly uri: string;
  readonly side: Side;
}

/** The query of an address; its path is the file's, so that the editor picks the language and the title by it. */
export function queryOf(address: Address): string {
  return JSON.stringify([address.proposal, address.side, address.uri]);
}

/** Read what `queryOf` wrote; undefined for the address of something else. */
export function addressIn(scheme: string, query: string): Address | undefined {
  if (scheme !== SCHEME) return undefined;
  try {
    const [proposal, side, uri] = JSON.parse(query) as unknown[];
    if (typeof proposal !== "string" || typeof uri !== "string") return undefined;
    return side === "before" || side === "after" ? { proposal, uri, side } : undefined;
  } catch {
    return undefined;
  }
}
