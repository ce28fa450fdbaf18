/** Ask again what an earlier job was asked. Pure, apart from the session it asks. */
import type {
  CommandName,
  Commands,
  DiagnosticArgument,
  RangeArgument,
  Task,
  Transcript,
} from "../protocol.js";
import { MESSAGE_PATH } from "../inputBox.js";
import type { Session } from "../session.js";

const SEVERITIES = { critical: 1, warning: 2, info: 3, hint: 4 } as const;

type JobCommand = Extract<CommandName, `ensemble.${Task["action"]}`>;

/**
 * Start a job with the task of an earlier one and return its id. `uriOf` makes a path of the task a URI; `boxOf` finds
 * the box for commit messages of the repository around one.
 */
export async function rerun(
  session: Session,
  transcript: Transcript,
  uriOf: (workspace: string, path: string) => string,
  boxOf: (uri: string) => Promise<{ uri: string; commit: string } | undefined> = () =>
    Promise.resolve(undefined),
): Promise<string> {
  const { task, summary } = transcript;
  const command: JobCommand = `ensemble.${task.action}`;
  const argument = argumentOf(task, uriOf(summary.workspace, task.path ?? task.paths[0] ?? ""));
  if (task.action === "rewrite" && MESSAGE_PATH.test(task.path ?? "")) {
    return (await session.execute("ensemble.rewrite", { ...argument, ...(await boxOf(argument.uri)) })).job;
  }
  if (task.action === "fix" && task.finding !== undefined) {
    try {
      return (await session.execute("ensemble.fix", { ...argument, finding: task.finding.id })).job;
    } catch {
      // The finding is not shown any more: what it said is the instruction.
      const { title, detail } = task.finding;
      return (await session.execute("ensemble.fix", { ...argument, instruction: `${title}. ${detail}` })).job;
    }
  }
  return (await session.execute(command, argument)).job;
}

type Argument = Commands["ensemble.fix"]["argument"] &
  Commands["ensemble.review"]["argument"] &
  Commands["ensemble.locate"]["argument"];

/** The argument of the task's command. */
export function argumentOf(task: Task, uri: string): Argument {
  return {
    uri,
    mode: task.mode,
    rounds: Math.max(1, task.rounds),
    ...(task.range === undefined ? {} : { range: lines(task.range.start, task.range.end) }),
    ...(task.instruction === "" ? {} : { instruction: task.instruction }),
    ...(task.action === "fix" && task.diagnostics.length > 0
      ? { diagnostics: task.diagnostics.map(diagnostic) }
      : {}),
    // A search that started from a traceback has no file: what it was told is the report.
    ...(task.action === "locate" && task.path === undefined ? { report: "instruction" } : {}),
    ...(task.action === "review" ? scopeOf(task) : {}),
  };
}

/** What a review looked for when it started; a task that only names the files that came of it says it less exactly. */
function scopeOf(task: Task): Pick<Commands["ensemble.review"]["argument"], "scope" | "base"> {
  const { scope, base } = task;
  if (scope !== undefined) return { scope, ...(scope === "changes" && base !== undefined ? { base } : {}) };
  if (task.paths.length === 0) return {};
  return { scope: Object.keys(task.changedLines).length > 0 ? "changes" : "workspace" };
}

function diagnostic(each: Task["diagnostics"][number]): DiagnosticArgument {
  return {
    range: lines(each.line, each.endLine + 1),
    message: each.message,
    source: each.source,
    code: each.code,
    severity: SEVERITIES[each.severity],
  };
}

/** Whole lines, 0-based, `end` exclusive. */
function lines(start: number, end: number): RangeArgument {
  return { start: { line: start, character: 0 }, end: { line: end, character: 0 } };
}
