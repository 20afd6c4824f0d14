import { Fnv128 } from "@mqb/sql";
import type { Session } from "../client/session.ts";
import { errors } from "../errors.ts";
import { writeEscaped } from "../json-text.ts";
import { textLiteral } from "../literal.ts";
import { type Charset, charsetNamed, singleByteCharset, toUtf8 } from "./decode/charset.ts";
import { type Column, overheadOf } from "./decode/column.ts";
import type { Table } from "./decode/row-writer.ts";
import type { MapColumn, TableMap } from "./decode/table-map.ts";
import { BLOB, ENUM, INT24, NEWDECIMAL, SET, STRING, TINY, UNREAD, VAR_STRING, VARCHAR } from "./decode/types.ts";

const BINARY = 63;
const TEXTS = new Set([STRING, VAR_STRING, VARCHAR, BLOB, ENUM, SET]);
/** The columns of a SEQUENCE of MariaDB. */
const SEQUENCE =
  "next_not_cached_value,minimum_value,maximum_value,start_value,increment,cache_size,cycle_option,cycle_count";
/** All bytes, one after another. */
const BYTES = Buffer.from(Array.from({ length: 256 }, (_, i) => i)).toString("hex");

/** What a server says of a column now. */
interface Described {
  readonly type: string;
  readonly charset: string | undefined;
}

/** Makes of what an event says of a table how its rows are read; asks the server for what no event says. */
export class Columns {
  private readonly charsets = new Map<string, Charset | undefined>();
  private collations: ReadonlyMap<number, string> | undefined;

  /** `position`: for people, where that event is. Throws for what cannot be read. */
  async resolve(session: Session, map: TableMap, position: string): Promise<Table> {
    const { schema, table } = map;
    const described = await describe(session, map);
    const columns: Column[] = [];
    for (const column of map.columns) {
      if (column.name === undefined) throw errors.NO_NAMES({ table: `${schema}.${table}`, position });
      columns.push(await this.column(session, map, column, described.get(column.name)));
    }
    return {
      schema,
      table,
      columns,
      isSequence: columns.map(({ name }) => name).join() === SEQUENCE,
      hasKey: columns.some(({ isKey }) => isKey),
      overhead: 16 + columns.reduce((sum, column) => sum + overheadOf(column), 0),
      idPrefix: Fnv128.of(Buffer.from(`${schema}.${table}\0`)),
    };
  }

  private async column(
    session: Session,
    { schema, table }: TableMap,
    { type, meta, name = "", isUnsigned, isKey, collation, labels }: MapColumn,
    described: Described | undefined,
  ): Promise<Column> {
    const refuse = (reason: string): Error => errors.COLUMN({ table: `${schema}.${table}`, column: name, reason });
    const unread = UNREAD.get(type);
    if (unread !== undefined) throw refuse(unread);
    const charset = TEXTS.has(type) ? await this.charset(session, collation, labels, described) : "binary";
    if (typeof charset === "object" && "unknown" in charset) throw refuse(`a text of character set ${charset.unknown}`);
    const known = type === STRING && collation === BINARY ? knownType(described?.type, meta) : undefined;
    const isBinary = type === STRING && charset === "binary" && known === undefined;
    return {
      name,
      label: Buffer.from(`${JSON.stringify(name)}:`),
      type,
      meta,
      isUnsigned,
      isKey,
      charset,
      labels: (labels ?? []).map((label) => escaped(toUtf8(charset, label))),
      width: widthOf(type, described?.type),
      known,
      size: isBinary ? meta : 0,
    };
  }

  private async charset(
    session: Session,
    collation: number | undefined,
    labels: readonly Buffer[] | undefined,
    described: Described | undefined,
  ): Promise<Charset | { readonly unknown: string }> {
    // MariaDB does not say in which one the names of ENUM and SET are.
    let name = collation === undefined ? described?.charset : await this.charsetOf(session, collation);
    if (name === undefined && collation === undefined && labels?.every(isAscii)) name = "ascii";
    if (name === undefined) return { unknown: collation === undefined ? "unknown" : `of collation ${collation}` };
    if (!this.charsets.has(name)) this.charsets.set(name, charsetNamed(name) ?? (await askServer(session, name)));
    return this.charsets.get(name) ?? { unknown: name };
  }

  private async charsetOf(session: Session, collation: number): Promise<string | undefined> {
    this.collations ??= await collationsOf(session);
    return this.collations.get(collation);
  }
}

async function describe(session: Session, { schema, table }: TableMap): Promise<ReadonlyMap<string, Described>> {
  const { rows } = await session.query(
    `SELECT COLUMN_NAME, COLUMN_TYPE, CHARACTER_SET_NAME FROM information_schema.COLUMNS WHERE TABLE_SCHEMA = ${textLiteral(schema)} AND TABLE_NAME = ${textLiteral(table)}`,
  );
  return new Map(
    rows.map(([name, type, charset]) => [
      String(name),
      { type: String(type).toLowerCase(), charset: charset === null ? undefined : String(charset) },
    ]),
  );
}

async function collationsOf(session: Session): Promise<ReadonlyMap<number, string>> {
  const found = new Map<number, string>();
  const add = async (table: string): Promise<void> => {
    const { rows } = await session.query(
      `SELECT ID, CHARACTER_SET_NAME FROM information_schema.${table} WHERE ID IS NOT NULL AND CHARACTER_SET_NAME IS NOT NULL`,
    );
    for (const [id, name] of rows) found.set(Number(id), String(name));
  };
  await add("COLLATIONS");
  // Collations of several character sets stand only there, with a number for each; older servers have no numbers there.
  if (session.isMariaDb) await add("COLLATION_CHARACTER_SET_APPLICABILITY").catch(() => {});
  return found;
}

/** Undefined where its characters have several bytes. */
async function askServer(session: Session, name: string): Promise<Charset | undefined> {
  const { rows } = await session.query(
    `SELECT MAXLEN FROM information_schema.CHARACTER_SETS WHERE CHARACTER_SET_NAME = ${textLiteral(name)}`,
  );
  if (String(rows[0]?.[0]) !== "1" || !/^\w+$/.test(name)) return undefined;
  const converted = await session.query(`SELECT CONVERT(_${name} X'${BYTES}' USING utf8mb4)`);
  return singleByteCharset(String(converted.rows[0]![0]));
}

function isAscii(bytes: Buffer): boolean {
  return bytes.every((byte) => byte < 0x80);
}

function escaped(text: Buffer): Buffer {
  const out = Buffer.alloc(6 * text.length);
  return out.subarray(0, writeEscaped(text, 0, text.length, out, 0));
}

function knownType(type: string | undefined, size: number): Column["known"] {
  if (type === "uuid" || type === "inet6") return size === 16 ? type : undefined;
  return type === "inet4" && size === 4 ? type : undefined;
}

/** How many digits a number with ZEROFILL has at least, where `sqlx` gives it as a text. */
function widthOf(type: number, described: string | undefined): number {
  const [, digits] = /^(?:tinyint|mediumint|decimal)\((\d+)[^)]*\).*\bzerofill/.exec(described ?? "") ?? [];
  const isOne = type === TINY || type === INT24 || type === NEWDECIMAL;
  return isOne && digits !== undefined ? Number(digits) : 0;
}
