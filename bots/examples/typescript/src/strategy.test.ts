import assert from "node:assert/strict";
import { test } from "node:test";
import { Action, ActionType } from "./gen/kawuxing/v1/action.js";
import { Observation } from "./gen/kawuxing/v1/observation.js";
import { RuleSet } from "./gen/kawuxing/v1/rules.js";
import { choose } from "./strategy.js";

const DISCARD = ActionType.ACTION_TYPE_DISCARD;
const REVEAL = ActionType.ACTION_TYPE_REVEAL;
const PASS = action(ActionType.ACTION_TYPE_PASS);
/** 84 tiles: dots, bamboo, dragons. */
const KINDS = [...range(11, 19), ...range(21, 29), ...range(35, 37)];
const RULES = rules({ kinds: KINDS, sevenPairs: true });
const THREE_SUITS = rules({ kinds: [...range(1, 9), ...range(11, 19), ...range(21, 29)], maxSuits: 2 });

function range(first: number, last: number): number[] {
  return Array.from({ length: last - first + 1 }, (_, index) => first + index);
}

function rules(changes: Partial<RuleSet>): RuleSet {
  return { ...RuleSet.decode(new Uint8Array()), ...changes };
}

function action(type: ActionType, tile = 0): Action {
  return { type, tile, faceDown: [] };
}

function discards(tiles: Iterable<number>, type = DISCARD): Action[] {
  return [...new Set(tiles)].map((tile) => action(type, tile));
}

/** What seat 0 of three sees; the others have nothing before them but what seat 1 waits on. */
function sees(concealed: number[], waits: number[] = []): Observation {
  const seat = { concealedCount: 13, melds: [], discards: [], shown: [], faceDown: 0, points: 0 };
  return {
    ...Observation.decode(new Uint8Array()),
    seat: 0,
    concealed,
    seats: [
      { ...seat, entrant: 0, revealed: false, waits: [] },
      { ...seat, entrant: 1, revealed: waits.length > 0, waits },
      { ...seat, entrant: 2, revealed: false, waits: [] },
    ],
  };
}

function chosen(rules: RuleSet, observation: Observation, legal: Action[]): Action | undefined {
  return legal[choose(rules, observation, legal)];
}

/** Without 23 it waits on four tiles, 24 and 29, without 24 on eight, 22 and 25. */
const NEARLY_READY = [11, 12, 13, 14, 15, 16, 17, 18, 19, 23, 24, 24, 29, 29];

test("a win comes before everything", () => {
  const legal = [action(ActionType.ACTION_TYPE_CONCEALED_KONG, 11), ...discards([11]), action(ActionType.ACTION_TYPE_WIN)];
  assert.equal(choose(RULES, sees([11, 11, 11, 11]), legal), 2);
});

test("a kong comes before a reveal", () => {
  const legal = [...discards([12], REVEAL), action(ActionType.ACTION_TYPE_ADDED_KONG, 11)];
  assert.equal(choose(RULES, sees([11, 12]), legal), 1);
});

test("a ready hand is revealed on the most tiles unseen", () => {
  const legal = [...discards(NEARLY_READY), ...discards([23, 24], REVEAL)];
  assert.deepEqual(chosen(RULES, sees(NEARLY_READY), legal), action(REVEAL, 24));
});

test("a rival's wait is not discarded, not even to reveal", () => {
  const legal = [...discards(NEARLY_READY), ...discards([23, 24], REVEAL)];
  assert.deepEqual(chosen(RULES, sees(NEARLY_READY, [24]), legal), action(REVEAL, 23));
});

test("a rival's wait is discarded if there is nothing else", () => {
  const legal = discards([11, 37]);
  assert.deepEqual(chosen(RULES, sees([11, 37], [11, 37]), legal)?.type, DISCARD);
});

test("a lonely tile goes first", () => {
  const hand = [11, 12, 13, 15, 15, 16, 18, 21, 22, 23, 26, 35, 35, 36];
  assert.equal(chosen(RULES, sees(hand), discards(hand))?.tile, 26);
});

test("of equally useful tiles the first goes", () => {
  const hand = [11, 11, 13, 14, 15, 17, 18, 21, 22, 23, 24, 35, 36, 37];
  assert.equal(chosen(RULES, sees(hand), discards(hand))?.tile, 35);
});

test("with a limit of suits the smallest suit goes", () => {
  const hand = [1, 1, 2, 11, 12, 14, 16, 17, 19, 21, 23, 25, 26, 29];
  assert.equal(chosen(THREE_SUITS, sees(hand), discards(hand))?.tile, 2);
});

test("a dragon is punged if there is another pair", () => {
  const legal = [action(ActionType.ACTION_TYPE_PUNG, 37), PASS];
  assert.equal(choose(RULES, sees([11, 11, 14, 37, 37]), legal), 0);
  assert.equal(choose(RULES, sees([11, 12, 14, 37, 37]), legal), 1);
});

test("another tile is punged only for a hand of pairs", () => {
  const legal = [action(ActionType.ACTION_TYPE_PUNG, 12), PASS];
  assert.equal(choose(RULES, sees([12, 12, 14, 14, 16, 16]), legal), 0);
  assert.equal(choose(RULES, sees([12, 12, 14, 14, 16, 17]), legal), 1);
});
