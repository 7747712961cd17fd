/** Waiting before trying again. */

import { setTimeout as sleep } from "node:timers/promises";

const FIRST = 100;
const LONGEST = 5_000;

/** Pauses that double from 0.1 s to 5 s, each taken at random from its upper half, so that bots do not come back in step. */
export class Backoff {
  private next = FIRST;

  /** Begins again with the shortest pause, after a success. */
  reset(): void {
    this.next = FIRST;
  }

  /** Waits. Rejects when the signal aborts. */
  async pause(signal: AbortSignal): Promise<void> {
    const pause = this.next * (0.5 + Math.random() / 2);
    this.next = Math.min(2 * this.next, LONGEST);
    await sleep(pause, undefined, { signal });
  }
}
