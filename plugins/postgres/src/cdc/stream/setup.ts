import type { Logger } from "@mqb/core/plugin";
import type { IdHash, LatestWriter } from "@mqb/sql";
import type pg from "pg";
import type { UserTypes } from "../../user-types.ts";
import type { KeepAliveSetup } from "./keep-alive.ts";

export interface StreamSetup extends KeepAliveSetup {
  readonly client: pg.Client;
  /** START_REPLICATION … */
  readonly command: string;
  readonly slot: string;
  readonly publication: string;
  /** Where it begins. */
  readonly position: bigint;
  /** Of a drain: where the log ended when it was opened. */
  readonly end: bigint | undefined;
  /** Knows those of the tables, as far as they were there when it was opened. */
  readonly types: UserTypes;
  /** Makes it know these. */
  readonly askTypes: (types: readonly number[], signal: AbortSignal) => Promise<void>;
  readonly idHash: IdHash;
  readonly stamps: boolean;
  readonly splitsKeyChange: boolean;
  readonly session: Map<string, unknown>;
  readonly saver: LatestWriter<bigint> | undefined;
  /** The slot is dropped when the route ends with nothing left. */
  readonly isTemporary: boolean;
  readonly log: Logger;
  readonly release: () => Promise<void>;
}
