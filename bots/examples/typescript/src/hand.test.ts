import assert from "node:assert/strict";
import { test } from "node:test";
import { RuleSet } from "./gen/kawuxing/v1/rules.js";
import { countTiles, isComplete } from "./hand.js";

const RULES: RuleSet = { ...RuleSet.decode(new Uint8Array()), sevenPairs: true };
const SEVEN_PAIRS = [11, 11, 13, 13, 15, 15, 15, 15, 22, 22, 24, 24, 37, 37];
const FLUSH = [11, 11, 11, 12, 12, 13, 13, 14, 14, 15, 15, 15, 18, 18];

test("four sets and a pair are complete", () => {
  assert.equal(isComplete(countTiles(FLUSH), [], RULES), true);
  assert.equal(isComplete(countTiles(FLUSH.with(0, 19)), [], RULES), false);
});

test("melds are sets", () => {
  assert.equal(isComplete(countTiles([37, 37]), [11, 12, 22, 35], RULES), true);
});

test("no sequence goes from suit to suit or has a dragon", () => {
  assert.equal(isComplete(countTiles([18, 19, 21, 22, 22]), [], RULES), false);
  assert.equal(isComplete(countTiles([35, 36, 37, 22, 22]), [], RULES), false);
});

test("seven pairs are complete if the rules have them and nothing is melded", () => {
  assert.equal(isComplete(countTiles(SEVEN_PAIRS), [], RULES), true);
  assert.equal(isComplete(countTiles(SEVEN_PAIRS), [], { ...RULES, sevenPairs: false }), false);
  assert.equal(isComplete(countTiles([11, 11, 13, 13]), [21], RULES), false);
});

test("suits can be limited, melds included", () => {
  assert.equal(isComplete(countTiles([1, 1]), [11, 12, 13, 14], { ...RULES, maxSuits: 2 }), true);
  assert.equal(isComplete(countTiles([1, 1]), [11, 12, 13, 24], { ...RULES, maxSuits: 2 }), false);
});
