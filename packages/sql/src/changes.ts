import type { FindService, InputCapabilities } from "@mqb/core/plugin";
import type { SqlxConfig } from "./config.ts";
import type { ChangeCapture, ChangeSettings, SqlDriver } from "./contract.ts";
import { driverFor } from "./driver.ts";
import { errors } from "./errors.ts";

/** Of an input with `publication`, whatever reads it. */
export const CHANGES: InputCapabilities = {
  acknowledges: true,
  commitsInOrder: true,
  replies: false,
  stableIds: true,
  replayablePosition: true,
  bounded: true,
};

export interface Changes {
  readonly capture: ChangeCapture;
  readonly settings: ChangeSettings;
}

/** What an input with `publication` is handed over to; undefined for any other. Throws where the database has no such thing. */
export function changesOf(config: SqlxConfig, service: FindService): Changes | undefined {
  if (config.publication == null) return undefined;
  return { capture: captureOf(driverFor(config.url, service)), settings: settingsOf(config, config.publication) };
}

export function captureOf({ changes, dialect }: SqlDriver): ChangeCapture {
  if (changes) return changes;
  throw errors.NOT_HERE({ field: "publication", reason: `${dialect} has no publications` });
}

export function settingsOf(config: SqlxConfig, publication: string): ChangeSettings {
  return {
    url: config.url,
    ...(config.username == null ? {} : { username: config.username }),
    ...(config.password == null ? {} : { password: config.password }),
    ...(config.tls == null ? {} : { tls: config.tls }),
    table: config.table,
    publication,
    ...(config.slot_name == null ? {} : { slotName: config.slot_name }),
    createPublication: config.create_publication === true,
    sourceMetadata: config.source_metadata === true,
  };
}

/** A slot of its own for what is resumed under an id. Their names are in lower case. */
export function slotFor(id: string): string {
  return `mqb_${id.toLowerCase().replace(/[^a-z0-9_]/g, "_")}`.slice(0, 63);
}
