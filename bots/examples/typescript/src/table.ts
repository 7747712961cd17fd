/** One match over TableService.Play, through any number of lost connections. */

import { status, type ServiceError } from "@grpc/grpc-js";
import { Backoff } from "./backoff.js";
import type { RuleSet } from "./gen/kawuxing/v1/rules.js";
import {
  ObservationMode,
  type Decision,
  type DecisionRequest,
  type PlayRequest,
  type TableServiceClient,
} from "./gen/kawuxing/v1/table_service.js";
import { ExitCode, Refusal } from "./settings.js";
import { choose } from "./strategy.js";

/** How long a table may be out of reach, in ms; if the match still lives then, the lobby assigns it again. */
const GIVE_UP_AFTER = 120_000;

/** The match is over, another client has this seat, or the bot was withdrawn: coming back is of no use. */
const OVER: ReadonlySet<status> = new Set([status.NOT_FOUND, status.ABORTED, status.PERMISSION_DENIED]);

/** Plays one entrant's part of one match. */
export class Table {
  private rules: RuleSet | undefined;
  /** Whether the match has begun, or gone on, on the last stream. */
  private inTouch = false;
  private readonly backoff = new Backoff();

  constructor(
    private readonly client: TableServiceClient,
    private readonly ticket: string,
  ) {}

  /** Whether the match has begun for this client. */
  get satDown(): boolean {
    return this.rules !== undefined;
  }

  /** Plays until the match is over for this client. Rejects when the signal aborts. */
  async play(signal: AbortSignal): Promise<void> {
    let reached = Date.now();
    while (Date.now() - reached < GIVE_UP_AFTER) {
      try {
        if (await this.converse(signal)) {
          return;
        }
        reached = Date.now();
      } catch (error) {
        signal.throwIfAborted();
        const { code } = asServiceError(error);
        if (OVER.has(code)) {
          return;
        }
        if (this.inTouch || code !== status.UNAVAILABLE) {
          reached = Date.now();
        }
      }
      await this.backoff.pause(signal);
    }
  }

  /** Talks on one stream until it ends, and returns whether the match has ended too. */
  private async converse(signal: AbortSignal): Promise<boolean> {
    signal.throwIfAborted();
    this.inTouch = false;
    const call = this.client.play();
    const cancel = () => call.cancel();
    const send = (request: NonNullable<PlayRequest["request"]>) => call.write({ request });
    signal.addEventListener("abort", cancel);
    try {
      send({
        $case: "hello",
        value: { ticket: this.ticket, observationMode: ObservationMode.OBSERVATION_MODE_SNAPSHOT },
      });
      for await (const { response } of call) {
        switch (response?.$case) {
          case "matchStart":
            this.rules = response.value.rules;
            this.inTouch = true;
            this.backoff.reset();
            break;
          case "decisionRequest":
            send({ $case: "decision", value: this.decide(response.value) });
            break;
          case "matchEnd":
          case "matchVoided":
            return true;
          default:
          // A hand's end and the state after coming back are nothing to a bot without memory.
        }
      }
      return false;
    } finally {
      signal.removeEventListener("abort", cancel);
      call.cancel();
    }
  }

  private decide({ decisionId, observation, legalActions }: DecisionRequest): Decision {
    if (this.rules === undefined || observation === undefined) {
      throw new Refusal(ExitCode.INCOMPATIBLE, "the table asks without telling the rules and what there is to see");
    }
    return { decisionId, choice: choose(this.rules, observation, legalActions) };
  }
}

/** Returns the error of a failed call. Throws what is none. */
export function asServiceError(error: unknown): ServiceError {
  if (error instanceof Error && "code" in error && "details" in error) {
    return error as ServiceError;
  }
  throw error;
}
