/** What the bot plays: a pure function of one question. */

import { ActionType, type Action } from "./gen/kawuxing/v1/action.js";
import { MeldType } from "./gen/kawuxing/v1/event.js";
import type { Observation, SeatView } from "./gen/kawuxing/v1/observation.js";
import type { RuleSet } from "./gen/kawuxing/v1/rules.js";
import { add, countTiles, DRAGONS, held, isComplete, suitOf, type Counts } from "./hand.js";

const COPIES = 4;
const TILES_OF_A_SET = 3;
/** Pairs beside the tile offered from which a hand collects pungs. */
const MOSTLY_PAIRS = 2;
const EACH_FURTHER_COPY = 3;
/** What a tile at this distance in the same suit is worth. */
const NEIGHBOURS = [
  { distance: 1, worth: 2 },
  { distance: 2, worth: 1 },
];
/** More than any tile can be useful. */
const OF_A_SUIT_TO_KEEP = 100;
const KONGS: ReadonlySet<ActionType> = new Set([
  ActionType.ACTION_TYPE_CONCEALED_KONG,
  ActionType.ACTION_TYPE_ADDED_KONG,
  ActionType.ACTION_TYPE_DIRECT_KONG,
]);

/**
 * Returns the index of the action to play.
 *
 * It wins when it can and takes every kong. It pungs dragons and, with a hand of pairs, any tile. It reveals as soon as
 * it is ready, on the most tiles unseen. Else it discards the least useful tile that no revealed rival waits on.
 */
export function choose(rules: RuleSet, observation: Observation, legal: readonly Action[]): number {
  const win = legal.findIndex(({ type }) => type === ActionType.ACTION_TYPE_WIN);
  if (win !== -1) {
    return win;
  }
  const kong = legal.findIndex(({ type }) => KONGS.has(type));
  if (kong !== -1) {
    return kong;
  }
  const pass = legal.findIndex(({ type }) => type === ActionType.ACTION_TYPE_PASS);
  if (pass !== -1) {
    const pung = legal.findIndex(
      ({ type, tile }) => type === ActionType.ACTION_TYPE_PUNG && isPungWanted(observation, tile),
    );
    return pung !== -1 ? pung : pass;
  }
  return bestDiscard(rules, observation, legal);
}

function isPungWanted(observation: Observation, tile: number): boolean {
  const pairs = countTiles(observation.concealed).filter((count, kind) => count >= 2 && kind !== tile).length;
  return pairs >= (tile > DRAGONS ? 1 : MOSTLY_PAIRS);
}

/** Returns the best discard, revealed or not; of equals the first. */
function bestDiscard(rules: RuleSet, observation: Observation, legal: readonly Action[]): number {
  const table = new Table(rules, observation);
  const values = legal.map((action) => valueOf(table, action));
  return values.reduce((best, value, index) => (isBetter(value, values[best] ?? []) ? index : best), 0);
}

/** The value of a discard, what counts most first. */
function valueOf(table: Table, { type, tile }: Action): number[] {
  const winners = table.winnersAfter(tile);
  const reveals = type === ActionType.ACTION_TYPE_REVEAL;
  return [
    Number(!table.isDangerous(tile)),
    winners,
    // Nothing is gained by revealing a hand that cannot be won any more.
    Number(reveals === winners > 0),
    -table.usefulness(tile),
  ];
}

function isBetter(value: readonly number[], other: readonly number[]): boolean {
  const difference = value.map((part, index) => part - (other[index] ?? -Infinity)).find((part) => part !== 0);
  return difference !== undefined && difference > 0;
}

/** What the bot sees, counted once for all discards. */
class Table {
  private readonly concealed: Counts;
  private readonly melds: readonly number[];
  private readonly unseen: ReadonlyMap<number, number>;
  private readonly awaited: ReadonlySet<number>;
  private readonly suitsToKeep: ReadonlySet<number>;

  constructor(
    private readonly rules: RuleSet,
    observation: Observation,
  ) {
    const own = observation.seats[observation.seat ?? -1];
    const rivals = observation.seats.filter((seat) => seat !== own);
    this.concealed = countTiles(observation.concealed);
    this.melds = own?.melds.map((meld) => meld.tile) ?? [];
    const shown = rivals.flatMap((seat) => seat.shown);
    const seen = countTiles([...observation.concealed, ...shown, ...observation.seats.flatMap(tilesOnTheTable)]);
    this.unseen = new Map(rules.kinds.map((kind) => [kind, COPIES - held(seen, kind)]));
    this.awaited = new Set(rivals.flatMap((seat) => seat.waits));
    this.suitsToKeep = this.largestSuits();
  }

  /** Returns whether a revealed rival waits on the tile. */
  isDangerous(tile: number): boolean {
    return this.awaited.has(tile);
  }

  /** Returns how many tiles nobody has shown yet complete the hand after this discard. */
  winnersAfter(discard: number): number {
    const hand = this.concealed.slice();
    add(hand, discard, -1);
    let winners = 0;
    for (const [kind, copies] of this.unseen) {
      add(hand, kind, 1);
      if (copies > 0 && isComplete(hand, this.melds, this.rules)) {
        winners += copies;
      }
      add(hand, kind, -1);
    }
    return winners;
  }

  /** Returns what a tile is worth to the sets and pairs of this hand. */
  usefulness(tile: number): number {
    const copies = EACH_FURTHER_COPY * (held(this.concealed, tile) - 1);
    const suit = this.suitsToKeep.has(suitOf(tile)) ? OF_A_SUIT_TO_KEEP : 0;
    if (tile > DRAGONS) {
      return suit + copies;
    }
    const neighbours = NEIGHBOURS.flatMap(({ distance, worth }) =>
      [tile - distance, tile + distance]
        .filter((other) => suitOf(other) === suitOf(tile) && held(this.concealed, other) > 0)
        .map(() => worth),
    );
    return suit + copies + neighbours.reduce((sum, worth) => sum + worth, 0);
  }

  /** Returns as many suits as a complete hand may have, those with the most tiles; of equals the lower. */
  private largestSuits(): Set<number> {
    const sizes = new Map<number, number>();
    const grow = (tile: number, by: number) => sizes.set(suitOf(tile), (sizes.get(suitOf(tile)) ?? 0) + by);
    this.concealed.forEach((count, tile) => count > 0 && grow(tile, count));
    this.melds.forEach((tile) => grow(tile, TILES_OF_A_SET));
    const largest = [...sizes.entries()].sort(([suit, size], [other, otherSize]) => otherSize - size || suit - other);
    return new Set(largest.slice(0, this.rules.maxSuits || undefined).map(([suit]) => suit));
  }
}

/** Returns the tiles that lie open before a seat, those of a revealed hand aside. */
function tilesOnTheTable(seat: SeatView): number[] {
  const melds = seat.melds.flatMap(({ type, tile }) =>
    Array<number>(type === MeldType.MELD_TYPE_PUNG ? TILES_OF_A_SET : COPIES).fill(tile),
  );
  return [...seat.discards, ...melds];
}
