/** What the models of a scenario were asked, as their server writes it down. */
import { existsSync, readFileSync } from "node:fs";

/** The record's name, in the folder of the scenario. */
export const RECORD = "requests.jsonl";

export interface Asked {
  model: string;
  prompt: string;
  disconnected: boolean;
}

/** Requests for completions that have ended, in that order. */
export function askedIn(record: string): Asked[] {
  return (existsSync(record) ? readFileSync(record, "utf8").split("\n") : []).filter(Boolean).flatMap(asked);
}

function asked(line: string): Asked[] {
  const request = JSON.parse(line) as {
    path: string;
    body: { model?: string; messages?: { content: unknown }[] };
    disconnected: boolean;
  };
  if (!request.path.endsWith("/chat/completions")) return [];
  const said = (content: unknown) => (typeof content === "string" ? content : JSON.stringify(content));
  return [
    {
      model: request.body.model ?? "",
      prompt: (request.body.messages ?? []).map((each) => said(each.content)).join("\n"),
      disconnected: request.disconnected,
    },
  ];
}
