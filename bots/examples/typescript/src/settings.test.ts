import assert from "node:assert/strict";
import { test } from "node:test";
import { readSettings } from "./settings.js";

const RIGHT = { KAWUXING_ADDRESS: "arena.example.org:7700", KAWUXING_TOKEN: "secret" };

test("address and token are enough", () => {
  assert.deepEqual(readSettings(RIGHT), {
    address: "arena.example.org:7700",
    token: "secret",
    capacity: 1,
    matches: Infinity,
  });
});

test("capacity and matches are whole numbers", () => {
  const { capacity, matches } = readSettings({ ...RIGHT, KAWUXING_CAPACITY: "64", KAWUXING_MATCHES: "3" });
  assert.deepEqual([capacity, matches], [64, 3]);
});

for (const [name, value] of [
  ["KAWUXING_ADDRESS", "no-port"],
  ["KAWUXING_ADDRESS", "host:0"],
  ["KAWUXING_ADDRESS", "http://host:7700"],
  ["KAWUXING_CAPACITY", "65"],
  ["KAWUXING_CAPACITY", "1e1"],
  ["KAWUXING_MATCHES", "-1"],
] as const) {
  test(`${name} '${value}' is refused by name`, () => {
    assert.throws(() => readSettings({ ...RIGHT, [name]: value }), {
      exitCode: 2,
      message: new RegExp(`^${name} is '${value}': expected`),
    });
  });
}

for (const name of ["KAWUXING_ADDRESS", "KAWUXING_TOKEN"]) {
  test(`${name} cannot be left out`, () => {
    assert.throws(() => readSettings({ ...RIGHT, [name]: "" }), { exitCode: 2, message: `${name} is not set` });
  });
}
