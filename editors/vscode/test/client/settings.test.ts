import { expect, test, vi } from "vitest";

vi.mock("vscode", () => ({}));
const { explicitSettings } = await import("../../src/client/settings.js");

test("dotted keys become tables", () => {
  const said = [
    { key: "budget.usd", user: 1, workspace: undefined },
    { key: "budget.dayUsd", user: 3, workspace: undefined },
    { key: "mode", user: "quick", workspace: undefined },
  ];
  expect(explicitSettings(said)).toEqual({ budget: { usd: 1, dayUsd: 3 }, mode: "quick" });
});

test("a key that nobody set is left out: its default would win over the person's config.toml", () => {
  expect(explicitSettings([{ key: "budget.usd", user: undefined, workspace: undefined }])).toEqual({});
});

test("the workspace's value stands over the person's", () => {
  expect(explicitSettings([{ key: "mode", user: "quick", workspace: "debate" }])).toEqual({ mode: "debate" });
});

test("false, zero and an empty list are values", () => {
  const said = [
    { key: "local", user: false, workspace: undefined },
    { key: "budget.usd", user: 0, workspace: undefined },
    { key: "panel", user: [], workspace: undefined },
  ];
  expect(explicitSettings(said)).toEqual({ local: false, budget: { usd: 0 }, panel: [] });
});

test("the extension's own settings are not sent: the server refuses keys it does not know", () => {
  const said = ["server.path", "trace.server", "review.open", "live.open", "documents.open"].map((key) => ({
    key,
    user: "x",
    workspace: "y",
  }));
  expect(explicitSettings(said)).toEqual({});
});

test("a setting of the server is sent although one of ours begins like it", () => {
  const said = [{ key: "review.dismissals", user: "shared", workspace: undefined }];
  expect(explicitSettings(said)).toEqual({ review: { dismissals: "shared" } });
});
