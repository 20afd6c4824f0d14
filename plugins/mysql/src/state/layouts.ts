import { createHash, randomUUID } from "node:crypto";
import type { StateWrite } from "@mqb/core/plugin";
import { dedupEntry, dedupNumber, expiredDedup, sqlErrors } from "@mqb/sql";
import type { Cell } from "../client/session.ts";
import { bytesLiteral, textLiteral } from "../literal.ts";
import { POSITION_COLUMNS } from "./positions.ts";

/** What a row says of its key. */
export interface State {
  readonly value: Uint8Array;
  readonly version: string;
  readonly expiresAt?: number;
}

/** How entries lie in a table. */
export interface Layout {
  readonly create: string;
  readonly key: string;
  readonly columns: readonly string[];
  /** The columns of a row that stands for nothing. */
  readonly nothing: readonly string[];
  /** A row that has expired still has its version. */
  readonly outlives: boolean;
  /** The condition of rows that are deleted now and then, because nobody asks for them again; `at` stands for its column. */
  readonly expired?: (at: string, now: number) => string;
  /** Undefined for a row that stands for nothing. */
  state(cells: readonly Cell[]): State | undefined;
  /** The literals of the columns, and the state that they say. */
  written(write: StateWrite): { readonly literals: readonly string[]; readonly state: State };
}

/** Our own. Keys are compared byte by byte. */
export const ENTRIES: Layout = {
  create:
    "`state_key` VARBINARY(2048) PRIMARY KEY, `value` LONGBLOB NOT NULL, `version` VARCHAR(36) NOT NULL, `expires_at` BIGINT",
  key: "`state_key`",
  columns: ["`value`", "`version`", "`expires_at`"],
  nothing: ["''", "''", "NULL"],
  outlives: false,
  state([value, version, expires]) {
    if (String(version) === "") return undefined;
    const known = { value: Buffer.from(value!), version: String(version) };
    return expires == null ? known : { ...known, expiresAt: Number(expires) };
  },
  written({ value, expiresAt }) {
    const version = randomUUID();
    const expires = expiresAt === undefined ? undefined : Math.floor(expiresAt);
    return {
      literals: [bytesLiteral(value), textLiteral(version), expires === undefined ? "NULL" : String(expires)],
      state: { value, version, ...(expires === undefined ? {} : { expiresAt: expires }) },
    };
  },
};

/** Of the original: keys of deduplication with their end. */
export const DEDUP: Layout = {
  create: "`dedup_key` VARCHAR(255) PRIMARY KEY, `expire_at` BIGINT NOT NULL",
  key: "`dedup_key`",
  columns: ["`expire_at`"],
  nothing: ["0"],
  outlives: true,
  expired(at, now) {
    const { seconds, claim } = expiredDedup(now);
    return `(${at} BETWEEN 0 AND ${seconds} OR ${at} BETWEEN ${claim + 1n} AND -1)`;
  },
  state: ([number]) => (String(number) === "0" ? undefined : dedupEntry("", BigInt(String(number)))),
  written(write) {
    const number = dedupNumber(write);
    return { literals: [String(number)], state: dedupEntry("", number) };
  },
};

/** Of the original: positions of sources. Their version is their hash. */
export const POSITIONS: Layout = {
  create: POSITION_COLUMNS,
  key: "`cursor_id`",
  columns: ["`last_value`"],
  nothing: ["NULL"],
  outlives: false,
  state([text]) {
    if (text == null) return undefined;
    const value = Buffer.from(text);
    return { value, version: createHash("sha256").update(value).digest("hex").slice(0, 32) };
  },
  written({ key, value, expiresAt }) {
    if (expiresAt !== undefined) throw sqlErrors.STORE_VALUE({ key, reason: "a table of positions knows no expiry" });
    const text = Buffer.from(value).toString("utf8");
    if (!Buffer.from(text).equals(value)) throw sqlErrors.STORE_VALUE({ key, reason: "a position is a text" });
    return { literals: [textLiteral(text)], state: POSITIONS.state([text])! };
  },
};
