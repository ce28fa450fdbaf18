/**
 * What the rest of the extension sees of the server: its state, its messages, its commands.
 *
 * Views, actions and the proposal review take a `Session`, never a language client, so that tests give them
 * a scripted one.
 */
import type { CancellationToken, Event } from "vscode";
import type { CommandName, Commands, JobEvent, ProposalMessage, Requests } from "./protocol.js";

export type ServerState =
  | { readonly kind: "stopped" }
  | { readonly kind: "starting" }
  | { readonly kind: "running"; readonly version: string }
  /** No server was found; `tried` says where it was looked for, in words. */
  | { readonly kind: "missing"; readonly tried: readonly string[] }
  /** It ended or could not start; `retrying` when it is started again by itself in a moment. */
  | { readonly kind: "failed"; readonly reason: string; readonly retrying: boolean };

export interface Session {
  readonly state: ServerState;
  readonly onState: Event<ServerState>;
  /** `ensemble/event`, in the order of arrival; the events of several jobs come mixed. */
  readonly onEvent: Event<JobEvent>;
  /** `ensemble/proposal`; the same proposal comes again with a higher `revision`. */
  readonly onProposal: Event<ProposalMessage>;
  /** Run a command of the server; rejects with the server's error, or when none runs. */
  execute<Name extends CommandName>(
    command: Name,
    argument: Commands[Name]["argument"],
  ): Promise<Commands[Name]["answer"]>;
  /** Send one of our own requests. */
  request<Method extends keyof Requests>(
    method: Method,
    params: Requests[Method]["params"],
    token?: CancellationToken,
  ): Promise<Requests[Method]["result"]>;
  /** Send one of our own notifications; dropped when no server runs. */
  notify(method: "ensemble/trust", params: { uri: string; trusted: boolean }): Promise<void>;
  /** Stop the server if it runs, look for it again, start it with the environment as it is now. */
  restart(): Promise<void>;
}

/** Variables that are added to the server's environment at its next start: keys, never logged. */
export interface EnvironmentSource {
  variables(): Promise<Readonly<Record<string, string>>>;
}
