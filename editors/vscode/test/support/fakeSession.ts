/** A session whose answers a test scripts, and which remembers what it was asked. */
import type { CommandName, Commands, JobEvent, ProposalMessage, Requests } from "../../src/protocol.js";
import type { ServerState, Session } from "../../src/session.js";
import { Emitter } from "../../src/emitter.js";

type Answer = (argument: never) => unknown;

export class FakeSession implements Session {
  readonly events = new Emitter<JobEvent>();
  readonly proposals = new Emitter<ProposalMessage>();
  readonly states = new Emitter<ServerState>();
  readonly onEvent = this.events.event;
  readonly onProposal = this.proposals.event;
  readonly onState = this.states.event;
  readonly asked: { name: string; argument: unknown }[] = [];
  restarts = 0;
  private readonly answers = new Map<string, Answer>();

  constructor(public state: ServerState = { kind: "running", version: "0.1.0" }) {}

  /** Answer a command or a request of this name from now on. */
  answer<Name extends CommandName>(
    name: Name,
    answer: (argument: Commands[Name]["argument"]) => unknown,
  ): this;
  answer<Name extends keyof Requests>(
    name: Name,
    answer: (params: Requests[Name]["params"]) => unknown,
  ): this;
  answer(name: string, answer: Answer): this {
    this.answers.set(name, answer);
    return this;
  }

  become(state: ServerState): void {
    this.state = state;
    this.states.fire(state);
  }

  execute<Name extends CommandName>(
    command: Name,
    argument: Commands[Name]["argument"],
  ): Promise<Commands[Name]["answer"]> {
    return this.ask(command, argument) as Promise<Commands[Name]["answer"]>;
  }

  request<Method extends keyof Requests>(
    method: Method,
    params: Requests[Method]["params"],
  ): Promise<Requests[Method]["result"]> {
    return this.ask(method, params) as Promise<Requests[Method]["result"]>;
  }

  notify(method: string, params: unknown): Promise<void> {
    this.asked.push({ name: method, argument: params });
    return Promise.resolve();
  }

  restart(): Promise<void> {
    this.restarts += 1;
    return Promise.resolve();
  }

  private async ask(name: string, argument: unknown): Promise<unknown> {
    this.asked.push({ name, argument });
    const answer = this.answers.get(name);
    if (answer === undefined) throw new Error(`the test scripted no answer to ${name}`);
    return await (answer as (argument: unknown) => unknown)(argument);
  }
}
