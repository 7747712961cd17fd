/** The bot's stay in the lobby: it joins, plays what it is assigned, and joins again whenever the connection is lost. */

import { credentials, status, type ChannelOptions } from "@grpc/grpc-js";
import { setTimeout as sleep } from "node:timers/promises";
import { Backoff } from "./backoff.js";
import { GoodbyeReason, LobbyServiceClient, type Assignment } from "./gen/kawuxing/v1/lobby_service.js";
import { TableServiceClient } from "./gen/kawuxing/v1/table_service.js";
import { ExitCode, Refusal, type Settings } from "./settings.js";
import { asServiceError, Table } from "./table.js";

const PROTOCOL_VERSION = 1;
const CLIENT = "kawuxing-typescript/1.0.0";
/** How long the last messages of matches that are just ending may take after the lobby said that all is over, in ms. */
const LAST_MESSAGES = 5_000;
const CHANNEL: ChannelOptions = {
  // The server cuts off who pings more often than every 10 s.
  "grpc.keepalive_time_ms": 20_000,
  "grpc.keepalive_timeout_ms": 10_000,
  "grpc.keepalive_permit_without_calls": 1,
  // By default the pauses between attempts to connect grow to two minutes; a clock runs meanwhile.
  "grpc.initial_reconnect_backoff_ms": 100,
  "grpc.max_reconnect_backoff_ms": 2_000,
  // A proxy from the environment is meant for the web.
  "grpc.enable_http_proxy": 0,
};

interface Playing {
  readonly done: Promise<void>;
  readonly leave: AbortController;
}

/** Plays every match that the lobby assigns to this instance of the bot. */
export class Lobby {
  private readonly lobby: LobbyServiceClient;
  private readonly tableClients = new Map<string, TableServiceClient>();
  private readonly playing = new Map<string, Playing>();
  private readonly stop = new AbortController();
  private failure: unknown;
  private begun = 0;
  private ended = 0;

  constructor(private readonly settings: Settings) {
    this.lobby = new LobbyServiceClient(settings.address, credentials.createInsecure(), CHANNEL);
  }

  /** Ends everything at once. */
  close(): void {
    this.stop.abort();
  }

  /**
   * Plays until the tournament is over, the bot is withdrawn, it has played as many matches as it was to, or it is
   * closed. Throws a Refusal if the arena refuses the bot.
   */
  async run(): Promise<void> {
    try {
      await this.stay();
      const last = Promise.all([...this.playing.values()].map(({ done }) => done));
      await Promise.race([last, sleep(LAST_MESSAGES, undefined, { signal: this.stop.signal })]);
    } catch (error) {
      if (!this.stop.signal.aborted) {
        throw error;
      }
    } finally {
      this.stop.abort();
      await Promise.all([...this.playing.values()].map(({ done }) => done));
      [this.lobby, ...this.tableClients.values()].forEach((client) => client.close());
    }
    if (this.failure !== undefined) {
      throw this.failure;
    }
  }

  /** Joins, and joins again, until the lobby says goodbye for good. */
  private async stay(): Promise<void> {
    const backoff = new Backoff();
    let toldOutage = false;
    const joined = () => {
      backoff.reset();
      toldOutage = false;
    };
    for (;;) {
      try {
        if (await this.listen(joined)) {
          return;
        }
      } catch (error) {
        this.stop.signal.throwIfAborted();
        const { code, details } = asServiceError(error);
        if (code === status.PERMISSION_DENIED) {
          console.error(`the bot was withdrawn from the tournament: ${details}`);
          return;
        }
        refuseIfFinal(this.settings.address, code, details);
        if (!toldOutage) {
          console.error(`no lobby at ${this.settings.address}, trying again and again: ${details}`);
          toldOutage = true;
        }
      }
      await backoff.pause(this.stop.signal);
    }
  }

  /** Does as the lobby says until its stream ends, and returns whether all is over. */
  private async listen(joined: () => void): Promise<boolean> {
    const { token, capacity } = this.settings;
    this.stop.signal.throwIfAborted();
    const call = this.lobby.join({ token, capacity, protocolVersion: PROTOCOL_VERSION, client: CLIENT });
    const cancel = () => call.cancel();
    this.stop.signal.addEventListener("abort", cancel);
    try {
      for await (const { response } of call) {
        switch (response?.$case) {
          case "welcome":
            joined();
            break;
          case "assignment":
            this.sitDown(response.value);
            break;
          case "cancelled":
            this.playing.get(response.value.matchId)?.leave.abort();
            break;
          case "goodbye":
            if (response.value.reason === GoodbyeReason.GOODBYE_REASON_WITHDRAWN) {
              console.error(`the bot was withdrawn from the tournament: ${response.value.message}`);
              return true;
            }
            return response.value.reason === GoodbyeReason.GOODBYE_REASON_FINISHED;
          default:
          // Unknown to this version.
        }
      }
      return false;
    } finally {
      this.stop.signal.removeEventListener("abort", cancel);
      call.cancel();
    }
  }

  private sitDown({ matchId, address, ticket }: Assignment): void {
    if (this.playing.has(matchId) || this.begun === this.settings.matches) {
      return;
    }
    this.begun += 1;
    const leave = new AbortController();
    const table = new Table(this.tableClient(address || this.settings.address), ticket);
    this.playing.set(matchId, { leave, done: this.play(matchId, table, leave) });
  }

  /** Plays a match to its end. Never rejects: what goes wrong ends the whole stay. */
  private async play(matchId: string, table: Table, leave: AbortController): Promise<void> {
    const stop = () => leave.abort();
    this.stop.signal.addEventListener("abort", stop);
    try {
      await table.play(leave.signal);
    } catch (error) {
      if (!leave.signal.aborted) {
        this.failure ??= error;
        this.stop.abort();
      }
    } finally {
      this.stop.signal.removeEventListener("abort", stop);
      this.playing.delete(matchId);
      this.count(table.satDown);
    }
  }

  /** Counts a match that was begun, unless it was over before it began for this client. */
  private count(satDown: boolean): void {
    if (!satDown) {
      this.begun -= 1;
      return;
    }
    this.ended += 1;
    if (this.ended === this.settings.matches) {
      this.stop.abort();
    }
  }

  private tableClient(address: string): TableServiceClient {
    const client =
      this.tableClients.get(address) ?? new TableServiceClient(address, credentials.createInsecure(), CHANNEL);
    this.tableClients.set(address, client);
    return client;
  }
}

/** Throws a Refusal if joining again is of no use. */
function refuseIfFinal(address: string, code: status, details: string): void {
  switch (code) {
    case status.UNAUTHENTICATED:
    case status.INVALID_ARGUMENT:
      throw new Refusal(ExitCode.SETTINGS, `the arena at ${address} refuses this bot: ${details}`);
    case status.UNIMPLEMENTED:
      throw new Refusal(ExitCode.SETTINGS, `what answers at ${address} is no Kawuxing arena: ${details}`);
    case status.FAILED_PRECONDITION:
      throw new Refusal(ExitCode.INCOMPATIBLE, `the arena at ${address} is of another age: ${details}`);
    default:
  }
}
