import type { Connection, ConnectionOptions } from "mysql2";
import { type Dump, type PacketSink, startDump } from "./dump.ts";
import { encodeRows, type RowSink } from "./raw-rows.ts";

/**
 * Texts come in UTF-8 and times in UTC, whatever the server's own settings are. Strict, so that no value is cut or clamped
 * without a word; and 0 is a value of an AUTO_INCREMENT column like any other. PIPES_AS_CONCAT is what the original sets.
 */
const SESSION =
  "SET NAMES utf8mb4, @@SESSION.time_zone = '+00:00', @@SESSION.autocommit = 1, @@SESSION.sql_mode = CONCAT(@@SESSION.sql_mode, ',STRICT_ALL_TABLES,NO_ENGINE_SUBSTITUTION,NO_AUTO_VALUE_ON_ZERO,PIPES_AS_CONCAT')";

/** A value of a result: text, bytes, or null. */
export type Cell = string | Buffer | null;

export interface Field {
  readonly name: string;
  readonly columnType: number;
  readonly characterSet: number;
}

export interface Result {
  readonly rows: readonly (readonly Cell[])[];
  readonly fields: readonly Field[];
}

/** What the server makes of a statement with question marks. */
export interface Prepared {
  readonly parameters: number;
  /** Empty when it gives no rows. */
  readonly fields: readonly Field[];
}

/** One connection. Errors are those of the driver. Values come as the texts of the server. */
export class Session {
  readonly openedAt: number = performance.now();
  /** The server takes no longer statement. */
  readonly maxPacket: number;
  readonly isMariaDb: boolean;
  /** Set when the connection is lost. */
  lost: Error | undefined;
  private readonly connection: Connection;

  private constructor(connection: Connection, maxPacket: number, version: string) {
    this.connection = connection;
    this.maxPacket = maxPacket;
    this.isMariaDb = /mariadb/i.test(version);
    connection.on("error", (error: Error) => {
      this.lost ??= error;
    });
  }

  static async open(options: ConnectionOptions): Promise<Session> {
    const { createConnection } = await import("mysql2");
    const connection = createConnection(options);
    await new Promise<void>((resolve, reject) => {
      connection.once("error", reject);
      connection.once("connect", () => resolve());
    });
    const bare = new Session(connection, 0, "");
    const late = setTimeout(() => bare.destroy(), options.connectTimeout);
    try {
      await bare.query(SESSION);
      const { rows } = await bare.query("SELECT @@max_allowed_packet, VERSION()");
      const [maxPacket, version] = rows[0]!;
      return new Session(connection, Number(maxPacket), String(version));
    } catch (error) {
      bare.destroy();
      throw error;
    } finally {
      clearTimeout(late);
    }
  }

  query(sql: string): Promise<Result> {
    return new Promise((resolve, reject) => {
      // `values: null`: it looks for no question marks in the text.
      this.connection.query({ sql, values: null, rowsAsArray: true, typeCast: bytesOf }, (error, rows, fields) => {
        if (error) reject(error);
        else resolve(resultOf(rows as unknown, (fields ?? []) as unknown as Field[]));
      });
    });
  }

  /** Hands the rows of a query over as bytes, without making a value of any. */
  rows(sql: string, sink: RowSink): Promise<void> {
    return encodeRows(this.connection, sql, sink);
  }

  /** Sends a command whose answer has no end. The session is good for nothing else from here on. */
  dump(command: Buffer, sink: PacketSink): Dump {
    return startDump(this.connection, command, sink);
  }

  /** Asks what the server makes of a statement. Nothing is run. */
  prepare(sql: string): Promise<Prepared> {
    return new Promise((resolve, reject) => {
      this.connection.prepare(sql, (error, statement) => {
        if (error) return reject(error);
        const { parameters, columns } = statement as unknown as { parameters: unknown[]; columns: Field[] };
        this.connection.unprepare(sql);
        resolve({ parameters: parameters.length, fields: columns });
      });
    });
  }

  ping(): Promise<void> {
    return new Promise((resolve, reject) => {
      this.connection.ping((error) => (error ? reject(error) : resolve()));
    });
  }

  /** Says goodbye. */
  end(): Promise<void> {
    return new Promise((resolve) => this.connection.end(() => resolve()));
  }

  /** Whoever waits for an answer gets an error. */
  destroy(): void {
    const { stream } = this.connection as unknown as { readonly stream: { destroy(error: Error): void } };
    stream.destroy(Object.assign(new Error("the connection was given up"), { code: "ECONNABORTED" }));
  }
}

function bytesOf(field: { buffer(): Buffer | null }): Buffer | null {
  return field.buffer();
}

function resultOf(rows: unknown, fields: readonly Field[]): Result {
  if (!Array.isArray(rows)) return { rows: [], fields: [] };
  const isBytes = fields.map(holdsBytes);
  const cells = (rows as (readonly (Buffer | null)[])[]).map((row) =>
    row.map((value, i) => (value === null || isBytes[i] ? value : value.toString())),
  );
  return { rows: cells, fields };
}

const BINARY = 63;
const VECTOR = 242;
const BIT = 16;

/** Bytes, a bit field or a geometry; everything else is a text. */
export function holdsBytes({ columnType, characterSet }: Field): boolean {
  if (columnType === BIT || columnType === VECTOR) return true;
  const isTextOrBytes = columnType === 15 || (columnType >= 249 && columnType <= 255);
  return isTextOrBytes && characterSet === BINARY;
}
