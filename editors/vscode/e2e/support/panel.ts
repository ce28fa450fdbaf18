/** The models of a scenario: the scripted server of the Python tests, as a process on loopback. */
import { spawn } from "node:child_process";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { type Asked, RECORD, askedIn } from "./asked.js";
import { repository, virtualEnvironment } from "./paths.js";

/** One scripted answer; tests/support/fake_model_script.py has all fields. */
export interface Answer {
  text?: string;
  /** Only for prompts with this text in them. */
  contains?: string;
  /** Seconds before the first byte. */
  latency?: number;
  tokens_per_second?: number;
  status?: number;
  error?: string;
  hang?: "before" | "within";
  completion_tokens?: number;
}

/** What each model says; "*" stands for all that are not named. */
export type Script = Record<string, readonly Answer[]>;

export interface Panel {
  api: string;
  /** Requests for completions that have ended, in that order. */
  asked: () => Asked[];
  stop: () => void;
}

export async function startPanel(home: string, script: Script): Promise<Panel> {
  const file = join(home, "script.json");
  const record = join(home, RECORD);
  writeFileSync(file, JSON.stringify({ script }));
  const child = spawn(
    join(virtualEnvironment, "python"),
    ["-m", "tests.support.fake_model_server", "--script", file, "--record", record],
    { cwd: repository, stdio: ["pipe", "pipe", "inherit"] },
  );
  const first = await new Promise<string>((resolve, reject) => {
    createInterface({ input: child.stdout }).once("line", resolve);
    child.once("exit", (code) => {
      reject(new Error(`the fake model server ended with ${String(code)}`));
    });
  });
  const { base_url } = JSON.parse(first) as { base_url: string };
  return {
    api: `${base_url}/v1`,
    asked: () => askedIn(record),
    stop: () => child.kill("SIGKILL"),
  };
}

/** A `[[panel]]` of models on a server, each of a family of its own. Prices in USD per million tokens. */
export function seats(api: string, names: readonly string[], more: Record<string, unknown> = {}): object[] {
  return names.map((name) => ({
    id: name,
    model: `openai/${name}`,
    api_base: api,
    family: name,
    edit_format: "search-replace",
    price_in: 1,
    price_out: 2,
    ...more,
  }));
}

/** A change as members write it. */
export function block(path: string, before: string, after: string): string {
  return `${path}\n<<<<<<< SEARCH\n${before}=======\n${after}>>>>>>> REPLACE\n`;
}

/** A review's answer: `line` counts from 1. */
export function findings(
  ...found: {
    path: string;
    line: number;
    quote: string;
    title: string;
    detail?: string;
    severity?: string;
    category?: string;
  }[]
): string {
  return JSON.stringify({
    findings: found.map((each) => ({
      severity: "critical",
      category: "bug",
      detail: each.title,
      confidence: 0.9,
      end_line: each.line,
      ...each,
    })),
  });
}
