/** The server's own questions: an instruction for a job, and what other language servers know. */
import * as vscode from "vscode";
import type { LanguageClient } from "vscode-languageclient/node";
import type { ContextAnswer, ContextParams, InputAnswer, InputParams } from "../protocol.js";
import { answerContext } from "./context.js";
import type { Instructions } from "./instructions.js";

export function answerQuestions(client: LanguageClient, instructions: Instructions): void {
  client.onRequest("ensemble/input", async ({ title }: InputParams): Promise<InputAnswer> => {
    const text = await instructions.ask(title, vscode.l10n.t("What should the panel do?"));
    return { text: text ?? null };
  });
  client.onRequest("ensemble/context", (params: ContextParams): Promise<ContextAnswer> =>
    answerContext(params),
  );
}
