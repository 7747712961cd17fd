/** A bot for a Kawuxing arena. Exit codes: 0 it is over, 2 a setting is wrong or refused, 3 the versions do not fit. */

import { Lobby } from "./lobby.js";
import { readSettings, Refusal } from "./settings.js";

try {
  const lobby = new Lobby(readSettings(process.env));
  for (const signal of ["SIGINT", "SIGTERM"] as const) {
    process.on(signal, () => lobby.close());
  }
  await lobby.run();
} catch (error) {
  if (!(error instanceof Refusal)) {
    throw error;
  }
  console.error(`error: ${error.message}`);
  process.exitCode = error.exitCode;
}
