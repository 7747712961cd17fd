/** Tiles and complete hands (RULES §1, §3). */

import type { RuleSet } from "./gen/kawuxing/v1/rules.js";

/** How many tiles of each kind, by the kind's number in the protocol: its suit times ten plus its rank. */
export type Counts = Uint8Array;

/** The first dragon; dragons form no sequence. */
export const DRAGONS = 30;

const SLOTS = 40;

export function countTiles(tiles: Iterable<number>): Counts {
  const counts = new Uint8Array(SLOTS);
  for (const tile of tiles) {
    add(counts, tile, 1);
  }
  return counts;
}

/** Returns how many there are; none of a kind that this version does not know. */
export function held(counts: Counts, tile: number): number {
  return counts[tile] ?? 0;
}

export function add(counts: Counts, tile: number, change: number): void {
  counts[tile] = held(counts, tile) + change;
}

export function suitOf(tile: number): number {
  return Math.trunc(tile / 10);
}

/** Returns whether the concealed tiles complete a hand beside the melds of these kinds. */
export function isComplete(concealed: Counts, melds: readonly number[], rules: RuleSet): boolean {
  if (rules.maxSuits > 0 && suitsOf(concealed, melds).size > rules.maxSuits) {
    return false;
  }
  if (rules.sevenPairs && melds.length === 0 && concealed.every((count) => count % 2 === 0)) {
    return true;
  }
  return concealed.some((count, pair) => {
    if (count < 2) {
      return false;
    }
    const rest = concealed.slice();
    add(rest, pair, -2);
    return isSets(rest);
  });
}

function suitsOf(concealed: Counts, melds: readonly number[]): Set<number> {
  const suits = new Set(melds.map(suitOf));
  concealed.forEach((count, tile) => count > 0 && suits.add(suitOf(tile)));
  return suits;
}

/** Returns whether all tiles can be split into pungs and sequences. Changes the counts. */
function isSets(counts: Counts): boolean {
  const lowest = counts.findIndex((count) => count > 0);
  if (lowest === -1) {
    return true;
  }
  // Three sequences that begin with the same tile are three pungs as well, so a pung never has to be put back.
  if (held(counts, lowest) >= 3) {
    add(counts, lowest, -3);
    return isSets(counts);
  }
  if (lowest > DRAGONS || held(counts, lowest + 1) === 0 || held(counts, lowest + 2) === 0) {
    return false;
  }
  for (const tile of [lowest, lowest + 1, lowest + 2]) {
    add(counts, tile, -1);
  }
  return isSets(counts);
}
