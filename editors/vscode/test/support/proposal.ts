/** Proposals for tests: `proposal({ "cart.py": [change(3, ["a"], ["b"])] })`. */
import type { ProposalFile, ProposalHunk, ProposalMessage } from "../../src/protocol.js";

export function change(
  oldStart: number,
  oldLines: string[],
  newLines: string[],
  more: Partial<ProposalHunk> = {},
): ProposalHunk {
  const id = `h${String(oldStart)}`;
  return { id, oldStart, oldLines, newLines, conflict: false, why: "", evidence: [], ...more };
}

export function proposal(
  files: Record<string, ProposalHunk[]>,
  more: Partial<ProposalMessage> = {},
): ProposalMessage {
  return {
    proposal: "p1",
    revision: 0,
    job: "j1",
    title: "Fix total",
    status: "verified",
    weak: false,
    candidate: "c1",
    files: Object.entries(files).map(([path, hunks]): ProposalFile => ({
      uri: `file:///shop/${path}`,
      version: 1,
      kind: "change",
      conflict: "",
      hunks,
    })),
    candidates: ["c1", "c2"].map((id) => ({
      id,
      members: [id],
      families: [`family-${id}`],
      checks: [{ witness: "pytest", outcome: "passed", summary: "3 passed" }],
      cost: 0.0123,
      changedLines: 1,
      chosen: id === "c1",
      rejected: id === "c1" ? "" : "fails a test",
    })),
    dissent: [],
    wouldSettle: "",
    spend: { calls: 2, tokensIn: 10, tokensOut: 10, usd: 0.0123 },
    ...more,
  };
}

export const CART = "file:///shop/cart.py";
