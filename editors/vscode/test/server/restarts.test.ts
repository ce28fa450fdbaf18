import { expect, test } from "vitest";
import { Restarts } from "../../src/server/restarts.js";

test("a server that keeps ending is started again three times, each time later, then no more", () => {
  const restarts = new Restarts(() => 0);
  const delays = [1, 2, 3, 4, 5].map(() => {
    restarts.started();
    return restarts.next();
  });
  expect(delays).toEqual([500, 2_000, 8_000, undefined, undefined]);
});

test("after three minutes of work the count begins anew", () => {
  let now = 0;
  const restarts = new Restarts(() => now);
  for (let i = 0; i < 3; i += 1) {
    restarts.started();
    restarts.next();
  }
  restarts.started();
  now += 180_000;
  expect(restarts.next()).toBe(500);
});

test("a server that never came up does not count as steady, however long it took", () => {
  let now = 0;
  const restarts = new Restarts(() => now);
  const delays = [1, 2, 3, 4].map(() => {
    now += 600_000;
    return restarts.next();
  });
  expect(delays.at(-1)).toBeUndefined();
});

test("the person's restart begins anew", () => {
  const restarts = new Restarts(() => 0);
  for (let i = 0; i < 4; i += 1) restarts.next();
  restarts.reset();
  expect(restarts.next()).toBe(500);
});
