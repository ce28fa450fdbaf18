/** A job as the server tells it: three members, a check that fails, critiques with evidence, a verdict. */
import type { JobEvent } from "../../src/protocol.js";

type Body = JobEvent extends infer Each
  ? Each extends JobEvent
    ? Omit<Each, "job" | "seq" | "time">
    : never
  : never;

export const JOB = "0123456789ab";

const NOTHING = { calls: 0, tokensIn: 0, tokensOut: 0, usd: 0 };
const SPEND = { calls: 1, tokensIn: 900, tokensOut: 210, usd: 0.0021 };

export function stamped(bodies: readonly Body[], job = JOB, began = 1_800_000_000): JobEvent[] {
  return bodies.map((body, seq) => ({ ...body, job, seq, time: began + seq * 0.4 }));
}

export function started(members: readonly (readonly [string, string])[]): Body {
  return {
    kind: "started",
    action: "fix",
    mode: "debate",
    uri: "file:///shop/cart.py",
    notes: [],
    panel: members.map(([member, family]) => ({
      member,
      family,
      model: `${family}/${member}-mini`,
      local: false,
    })),
    estimate: { callsExpected: 6, callsBound: 11, usdExpected: 0.02, usdBound: 0.2 },
  };
}

export const EVENTS: readonly Body[] = [
  started([
    ["alpha", "openai"],
    ["beta", "anthropic"],
    ["gamma", "mistral"],
  ]),
  { kind: "phase", phase: "gather", round: 0, note: "" },
  {
    kind: "check",
    witness: "pytest",
    target: "test_cart.py",
    outcome: "failed",
    summary: "2 passed, 1 failed",
    about: "",
    members: [],
  },
  {
    kind: "check",
    witness: "syntax",
    target: "cart.py",
    outcome: "passed",
    summary: "parses",
    about: "",
    members: [],
  },
  { kind: "phase", phase: "draft", round: 0, note: "" },
  ...(["alpha", "beta", "gamma"] as const).flatMap((member, place): Body[] => [
    {
      kind: "memberStarted",
      sample: 0,
      member,
      family: ["openai", "anthropic", "mistral"][place] ?? "",
      purpose: "draft",
    },
    {
      kind: "memberDelta",
      sample: 0,
      member,
      text: "The loop keeps only the last price, because it assigns where it should add.\n\ncart.py\n<<<<<<< SEARCH\n        result = price\n=======\n        result += price\n>>>>>>> REPLACE\n",
      tokensPerSecond: 88,
    },
    {
      kind: "memberFinished",
      sample: 0,
      member,
      purpose: "draft",
      spend: SPEND,
      seconds: 2.4,
      cached: false,
      cancelled: false,
    },
  ]),
  { kind: "phase", phase: "check", round: 0, note: "" },
  {
    kind: "check",
    witness: "pytest",
    target: "test_cart.py",
    outcome: "passed",
    summary: "3 passed",
    about: "c1",
    members: ["alpha", "beta"],
  },
  {
    kind: "check",
    witness: "pytest",
    target: "test_cart.py",
    outcome: "failed",
    summary: "2 passed, 1 failed: test_none",
    about: "c2",
    members: ["gamma"],
  },
  { kind: "phase", phase: "critique", round: 1, note: "" },
  { kind: "memberStarted", sample: 0, member: "alpha", family: "openai", purpose: "critique" },
  {
    kind: "memberDelta",
    sample: 0,
    member: "alpha",
    text: "An empty cart has no first price: prices[0] raises IndexError.",
  },
  {
    kind: "critique",
    from: "alpha",
    against: ["gamma"],
    about: "c2",
    claim: "An empty cart raises IndexError instead of giving 0.",
    evidence: "failed: 1 of 1 tests: IndexError: list index out of range",
    broke: true,
  },
  {
    kind: "critique",
    from: "gamma",
    against: ["alpha", "beta"],
    about: "c1",
    claim: "Adding floats loses cents; total([0.1] * 3) is not 0.3.",
    evidence: "",
    broke: false,
  },
  {
    kind: "critique",
    from: "beta",
    against: ["gamma"],
    about: "c2",
    claim: "The type of the result depends on the first price.",
    evidence: "line 5: result = prices[0]",
    broke: false,
  },
  {
    kind: "memberFinished",
    sample: 0,
    member: "alpha",
    purpose: "critique",
    spend: SPEND,
    seconds: 1.1,
    cached: false,
    cancelled: false,
  },
  { kind: "phase", phase: "revise", round: 1, note: "" },
  {
    kind: "revision",
    member: "gamma",
    about: "c2",
    outcome: "revised",
    conformity: false,
    note: "Starts from 0, as the test shows it must.",
  },
  {
    kind: "position",
    member: "gamma",
    stance: "Add every price to a sum that starts at 0.",
    round: 1,
    moved: true,
    because: "IndexError on an empty cart",
  },
  { kind: "phase", phase: "decide", round: 1, note: "" },
  {
    kind: "dissent",
    dissent: {
      member: "gamma",
      family: "mistral",
      about: "c1",
      text: "Sums of money should be Decimal, whatever the tests say.",
    },
  },
];

export const FINISHED = {
  kind: "finished",
  status: "done",
  reason: "3 families agree, the tests pass",
  spend: { ...NOTHING, calls: 5, tokensIn: 4_500, tokensOut: 1_050, usd: 0.0105 },
  seconds: 8.4,
} satisfies Body;

export const PROPOSED = {
  kind: "proposal",
  proposal: "p1",
  title: "Fix total: add every price",
  status: "verified",
  weak: false,
  families: ["anthropic", "openai"],
  paths: ["cart.py"],
  changedLines: 1,
} satisfies Body;
