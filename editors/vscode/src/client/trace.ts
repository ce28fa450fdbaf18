/** The channel for messages between client and server, filled as `ensemble.trace.server` says. */
import * as vscode from "vscode";

/**
 * The language client traces only while its channel's level is "trace". A person sets `ensemble.trace.server`
 * instead, so this channel takes its level from there, and writes what it gets whatever the level.
 */
export function traceChannel(context: vscode.ExtensionContext): vscode.LogOutputChannel {
  const levels = new vscode.EventEmitter<vscode.LogLevel>();
  context.subscriptions.push(
    levels,
    vscode.workspace.onDidChangeConfiguration((change) => {
      if (change.affectsConfiguration("ensemble.trace.server")) levels.fire(level());
    }),
  );
  let channel: vscode.LogOutputChannel | undefined;
  const real = (): vscode.LogOutputChannel => {
    // Made when the first line comes, so that the list of channels has no empty one.
    if (channel === undefined) {
      channel = vscode.window.createOutputChannel("Ensemble Trace", { log: true });
      context.subscriptions.push(channel);
    }
    return channel;
  };
  return new Proxy({} as vscode.LogOutputChannel, {
    get(_, key): unknown {
      if (key === "logLevel") return level();
      if (key === "onDidChangeLogLevel") return levels.event;
      if (key === "trace") return (message: string) => real().info(message);
      if (key === "dispose") return () => undefined;
      const value: unknown = Reflect.get(real(), key);
      return typeof value === "function" ? (value.bind(real()) as unknown) : value;
    },
  });
}

function level(): vscode.LogLevel {
  const setting = vscode.workspace.getConfiguration("ensemble").get<string>("trace.server", "off");
  return setting === "off" ? vscode.LogLevel.Info : vscode.LogLevel.Trace;
}
