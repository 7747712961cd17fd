/** What the environment says: where to play, as whom, and how much. */

/** The exit codes of a bot, besides 0. */
export const ExitCode = { SETTINGS: 2, INCOMPATIBLE: 3 } as const;

/** Ends the program with a message for its user. */
export class Refusal extends Error {
  constructor(
    readonly exitCode: number,
    message: string,
  ) {
    super(message);
  }
}

export interface Settings {
  /** host:port of the arena. */
  readonly address: string;
  readonly token: string;
  /** Matches at once, 1 to 64. */
  readonly capacity: number;
  /** Matches to play before stopping; Infinity for as many as there are. */
  readonly matches: number;
}

const MAX_CAPACITY = 64;
const MAX_MATCHES = 1_000_000_000;
const MAX_PORT = 65_535;

/** Returns the settings. Throws a Refusal that names the variable, its value and what was expected. */
export function readSettings(environment: NodeJS.ProcessEnv): Settings {
  return {
    address: checkedAddress(required(environment, "KAWUXING_ADDRESS")),
    token: required(environment, "KAWUXING_TOKEN"),
    capacity: wholeNumber(environment, "KAWUXING_CAPACITY", MAX_CAPACITY) ?? 1,
    matches: wholeNumber(environment, "KAWUXING_MATCHES", MAX_MATCHES) ?? Infinity,
  };
}

function required(environment: NodeJS.ProcessEnv, name: string): string {
  const value = environment[name];
  if (!value) {
    throw new Refusal(ExitCode.SETTINGS, `${name} is not set`);
  }
  return value;
}

function checkedAddress(text: string): string {
  const [, port] = /^[^/]+:([0-9]{1,5})$/.exec(text) ?? [];
  if (!isBetween(Number(port), 1, MAX_PORT)) {
    throw new Refusal(
      ExitCode.SETTINGS,
      `KAWUXING_ADDRESS is '${text}': expected host:port, such as 127.0.0.1:7700`,
    );
  }
  return text;
}

function wholeNumber(environment: NodeJS.ProcessEnv, name: string, limit: number): number | undefined {
  const text = environment[name];
  if (!text) {
    return undefined;
  }
  const value = /^[0-9]+$/.test(text) ? Number(text) : NaN;
  if (!isBetween(value, 1, limit)) {
    throw new Refusal(ExitCode.SETTINGS, `${name} is '${text}': expected a whole number from 1 to ${limit}`);
  }
  return value;
}

function isBetween(value: number, least: number, most: number): boolean {
  return least <= value && value <= most;
}
