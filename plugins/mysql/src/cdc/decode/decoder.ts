import { crc32, inflateSync } from "node:zlib";
import { type ChangeLog, Fnv128 } from "@mqb/sql";
import { parseFile, placeOf } from "../place.ts";
import { StreamFault } from "./fault.ts";
import { Reader } from "./reader.ts";
import { RowWriter, type Table } from "./row-writer.ts";
import { statementKind } from "./statement.ts";
import { readTableMap, readTableName, type TableMap } from "./table-map.ts";

/** Kinds of events. */
const QUERY = 2;
const ROTATE = 4;
const FORMAT_DESCRIPTION = 15;
const XID = 16;
const EXECUTE_LOAD_QUERY = 18;
const TABLE_MAP = 19;
const WRITE_ROWS_V1 = 23;
const DELETE_ROWS_V1 = 25;
const INCIDENT = 26;
const HEARTBEAT = 27;
const WRITE_ROWS = 30;
const DELETE_ROWS = 32;
const GTID = 33;
const ANONYMOUS_GTID = 34;
const XA_PREPARE = 38;
const PARTIAL_UPDATE_ROWS = 39;
const TRANSACTION_PAYLOAD = 40;
const HEARTBEAT_2 = 41;
const GTID_TAGGED = 42;
const MARIADB_GTID = 162;
const QUERY_COMPRESSED = 165;
const WRITE_ROWS_COMPRESSED_V1 = 166;
const DELETE_ROWS_COMPRESSED_V1 = 168;
const WRITE_ROWS_COMPRESSED = 169;
const DELETE_ROWS_COMPRESSED = 171;
/** What says nothing of rows: server stops, variables of statements, notes, lists of GTIDs. */
const PASSED = new Set([1, 3, 5, 13, 14, 17, 28, 29, 35, 36, 37, 160, 161, 163, 164]);

const HEAD = 19;
const CHECKSUM = 4;
const IGNORABLE = 0x80;
const MOST_PLACE = 0xffff_ffff;
const [INSERT, UPDATE] = [0, 1] as const;
/** Of a transaction whose end has not come: what is more is handed out already. */
export const MOST_OPEN = 2 * 1024 * 1024;

/** Where the events are told apart from those that nobody asked for, and where columns are known. */
export interface DecoderHost {
  wants(schema: string, table: string): boolean;
  /** Columns of a table, where they were asked for already. Throws what is wrong with them. */
  tableOf(map: TableMap): Table | undefined;
  /** Columns may have changed. */
  forget(): void;
  /** Rows were changed without a word of which, by this statement of that transaction. Throws where that must end the stream. */
  unseen(reason: "statement" | "load" | "incident" | "partial" | "compressed", text: string): void;
  warn(message: string): void;
}

/** Reads the events of a binary log, and writes the changes of its rows into the log of changes. */
export class Decoder {
  /** A table whose columns must be known before the next event is read. */
  unknown: TableMap | undefined;
  /** The time of the last event, in Unix seconds. */
  time = 0;
  private readonly log: ChangeLog;
  private readonly rows: RowWriter;
  private readonly host: DecoderHost;
  private readonly isMariaDb: boolean;
  private hasChecksums: boolean;
  private file: number;
  private byte: number;
  /** By the numbers that the events of rows have; undefined = nobody wants it. */
  private readonly tables = new Map<number, TableMap | undefined>();
  /** By the bytes that describe them: each statement does it anew. */
  private readonly maps = new Map<string, TableMap>();
  private namedIn: unknown;
  private begin = 0n;
  private gtid: string | undefined;
  /** Events of it are to come, until its end. */
  private isInside = false;
  private ordinal = 0;
  private openBytes = 0;

  constructor(
    log: ChangeLog,
    host: DecoderHost,
    setup: {
      readonly isMariaDb: boolean;
      readonly hasChecksums: boolean;
      readonly splitsKeyChange: boolean;
      readonly file: number;
      readonly byte: number;
    },
  ) {
    this.log = log;
    this.rows = new RowWriter(log, setup.splitsKeyChange);
    this.host = host;
    this.isMariaDb = setup.isMariaDb;
    this.hasChecksums = setup.hasChecksums;
    this.file = setup.file;
    this.byte = setup.byte;
  }

  /** Reads the event in `bytes[at .. end)`. Where `unknown` is set behind it, nothing more until that is known. */
  event(bytes: Buffer, at: number, end: number): void {
    if (end - at < HEAD) throw new StreamFault("an event that is too short");
    const type = bytes[at + 4]!;
    const time = bytes.readUInt32LE(at);
    if (bytes.readUInt32LE(at + 9) !== end - at) throw new StreamFault("an event of another size than it says");
    const flags = bytes.readUInt16LE(at + 17);
    if (type === FORMAT_DESCRIPTION) {
      // What its last bytes are is said before them.
      this.hasChecksums = bytes[end - CHECKSUM - 1] === 1;
    }
    let limit = end;
    if (this.hasChecksums || type === FORMAT_DESCRIPTION) {
      limit = end - CHECKSUM;
      if (limit < at + HEAD) throw new StreamFault("an event that is too short");
      if (this.hasChecksums && crc32(bytes.subarray(at, limit)) !== bytes.readUInt32LE(limit))
        throw new StreamFault("an event with a wrong checksum");
    }
    const next = bytes.readUInt32LE(at + 13);
    if (time > 0) this.time = time;
    const body = new Reader(bytes, at + HEAD, limit);
    if (type === ROTATE) return void this.rotate(body);
    if (type === HEARTBEAT || type === HEARTBEAT_2) return;
    // Those that the server makes up have no place.
    if (next > 0) this.byte = this.after(end - at, next);
    this.read(type, flags, body, bytes.readUInt32LE(at + 5));
    if (!this.log.isOpen) this.log.reached(this.place);
  }

  get place(): bigint {
    return placeOf(this.file, Math.min(this.byte, MOST_PLACE));
  }

  private read(type: number, flags: number, body: Reader, serverId: number): void {
    switch (type) {
      case FORMAT_DESCRIPTION:
        this.undo();
        this.forget();
        this.tables.clear();
        return;
      case MARIADB_GTID: {
        const number = body.long();
        const domain = body.int(4);
        const isAlone = (body.byte() & 1) !== 0;
        return void this.start(`${domain}-${serverId}-${number}`, !isAlone);
      }
      case GTID: {
        body.byte();
        const hex = body.slice(16).toString("hex");
        const source = hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
        return void this.start(`${source}:${body.long()}`, false);
      }
      case ANONYMOUS_GTID:
      case GTID_TAGGED:
        return void this.start(undefined, false);
      case QUERY:
        return void this.query(body);
      case QUERY_COMPRESSED:
        return void this.query(body, true);
      case XID:
        return void this.commit();
      case XA_PREPARE:
        this.host.warn("rows of an XA transaction are given when it is prepared, whatever becomes of it");
        return void this.commit();
      case TABLE_MAP:
        return void this.map(body);
      case EXECUTE_LOAD_QUERY:
        return void this.host.unseen("load", "LOAD DATA");
      case INCIDENT:
        return void this.host.unseen("incident", "an incident: the server has lost events");
      case PARTIAL_UPDATE_ROWS:
        return void this.host.unseen("partial", "an update of parts of JSON values");
      case TRANSACTION_PAYLOAD:
        return void this.host.unseen("compressed", "a compressed transaction");
      default:
    }
    if (type >= WRITE_ROWS_V1 && type <= DELETE_ROWS_V1) return void this.change(type - WRITE_ROWS_V1, body, 1, false);
    if (type >= WRITE_ROWS && type <= DELETE_ROWS) return void this.change(type - WRITE_ROWS, body, 2, false);
    if (type >= WRITE_ROWS_COMPRESSED_V1 && type <= DELETE_ROWS_COMPRESSED_V1)
      return void this.change(type - WRITE_ROWS_COMPRESSED_V1, body, 1, true);
    if (type >= WRITE_ROWS_COMPRESSED && type <= DELETE_ROWS_COMPRESSED)
      return void this.change(type - WRITE_ROWS_COMPRESSED, body, 2, true);
    if (PASSED.has(type) || (flags & IGNORABLE) !== 0) return;
    throw new StreamFault(`an event of the unknown kind ${type}`);
  }

  /** Places of files over 4 GiB have more bits than an event. */
  private after(size: number, low: number): number {
    const sum = this.byte + size;
    return sum >>> 0 === low ? sum : low;
  }

  private rotate(body: Reader): void {
    const byte = Number(body.long());
    const name = body.bytes.toString("utf8", body.at, body.end);
    const file = parseFile(name);
    if (!file) throw new StreamFault(`a log file without a number: ${name}`);
    this.file = file.number;
    this.byte = byte;
    if (!this.log.isOpen) this.log.reached(this.place);
  }

  private start(gtid: string | undefined, isInside: boolean): void {
    this.undo();
    this.gtid = gtid;
    this.namedIn = undefined;
    this.isInside = isInside;
    this.begin = this.place;
    this.ordinal = 0;
    this.openBytes = 0;
    this.log.begin();
  }

  /** A server that crashed while it wrote a transaction has undone it. */
  private undo(): void {
    if (this.log.isOpen && this.log.discard())
      this.host.warn("a large transaction was undone by the server after a part of it was given");
  }

  private commit(): void {
    if (!this.log.isOpen) return;
    this.log.release(this.begin);
    this.log.commit(this.place);
    this.isInside = false;
  }

  private query(body: Reader, isCompressed = false): void {
    body.take(8);
    const schemaSize = body.byte();
    body.take(2);
    body.take(body.int(2));
    const schema = body.slice(schemaSize).toString();
    body.take(1);
    const rest = body.slice(body.left);
    const sql = (isCompressed ? inflated(rest) : rest).toString();
    const statement = statementKind(sql);
    switch (statement.kind) {
      case "begin":
        if (!this.log.isOpen) this.start(undefined, true);
        this.isInside = true;
        return;
      case "commit":
        return void this.commit();
      case "rollback":
        this.undo();
        this.isInside = false;
        return;
      case "savepoint":
        this.host.warn("a transaction was rolled back in part: its changes before that were given as they were");
        return;
      case "rows":
        this.host.unseen("statement", sql);
        break;
      case "truncate": {
        const name = { schema: statement.schema ?? schema, table: statement.table };
        if (this.host.wants(name.schema, name.table)) this.truncate(name);
        this.forget();
        break;
      }
      case "partition":
        this.host.warn("a statement has changed the rows of partitions, which the log does not name");
        this.forget();
        break;
      case "other":
        this.forget();
        break;
      default:
    }
    if (!this.isInside) this.commit();
  }

  private forget(): void {
    this.maps.clear();
    this.host.forget();
  }

  private truncate({ schema, table }: { readonly schema: string; readonly table: string }): void {
    if (!this.log.isOpen) this.start(undefined, false);
    const changed = { schema, table, idPrefix: Fnv128.of(Buffer.from(`${schema}.${table}\0`)) };
    this.rows.truncate(changed, this.ordinal++);
    this.named();
  }

  private map(body: Reader): void {
    const number = body.int(6);
    body.take(2);
    const key = body.bytes.toString("latin1", body.at, body.end);
    let map = this.maps.get(key);
    if (!map) {
      const name = readTableName(body);
      if (!this.host.wants(name.schema, name.table)) return void this.tables.set(number, undefined);
      map = readTableMap(name, body, this.isMariaDb);
      this.maps.set(key, map);
    }
    this.tables.set(number, map);
    if (!this.host.tableOf(map)) this.unknown = map;
  }

  private change(operation: number, body: Reader, version: 1 | 2, isCompressed: boolean): void {
    const number = body.int(6);
    body.take(2);
    if (version === 2) {
      const extra = body.int(2);
      body.take(extra - 2);
    }
    if (!this.tables.has(number)) {
      // A last event that only ends its statement.
      if (number === 0xff_ffff) return;
      throw new StreamFault("rows of a table that was not named");
    }
    const map = this.tables.get(number);
    if (!map) return;
    const table = this.host.tableOf(map);
    if (!table) throw new StreamFault("rows of a table whose columns are not known");
    if (table.isSequence) return;
    const count = body.length();
    if (count !== table.columns.length) throw new StreamFault("rows with other columns than their table");
    const bitmap = (count + 7) >> 3;
    for (let left = operation === UPDATE ? 2 : 1; left > 0; left--)
      if (!isFull(body.slice(bitmap), count)) this.host.unseen("partial", "rows without all of their columns");
    const rows = isCompressed ? inflated(body.slice(body.left)) : body.bytes;
    const [from, to] = isCompressed ? [0, rows.length] : [body.at, body.end];
    this.write(operation, table, rows, from, to);
  }

  private write(operation: number, table: Table, bytes: Buffer, from: number, end: number): void {
    const { rows, log } = this;
    if (!log.isOpen) this.start(undefined, true);
    const before = log.unread;
    for (let at = from; at < end; ) {
      if (operation === UPDATE) {
        const { next, changes } = rows.update(table, bytes, at, end, this.ordinal);
        this.ordinal += changes;
        at = next;
      } else {
        at =
          operation === INSERT
            ? rows.insert(table, bytes, at, end, this.ordinal)
            : rows.remove(table, bytes, at, end, this.ordinal);
        this.ordinal++;
      }
      this.named();
    }
    this.openBytes += log.unread - before;
    if (this.openBytes <= MOST_OPEN) return;
    log.release(this.begin);
    this.openBytes = 0;
  }

  /** The chunk of the last row knows how its transaction is called. */
  private named(): void {
    const { gtid } = this;
    const { last } = this.log;
    if (gtid === undefined || last === this.namedIn) return;
    this.namedIn = last;
    (last.names ??= new Map()).set(this.begin, gtid);
  }
}

function isFull(bitmap: Buffer, count: number): boolean {
  for (let i = 0; i < count; i++) if ((bitmap[i >> 3]! & (1 << (i & 7))) === 0) return false;
  return true;
}

/** How MariaDB compresses: the length of the length, the length, and what zlib makes. */
function inflated(bytes: Buffer): Buffer {
  const head = bytes[0] ?? 0;
  const size = head & 7;
  if ((head & 0x80) === 0 || bytes.length < 1 + size) throw new StreamFault("something compressed in an unknown way");
  const length = bytes.readUIntBE(1, size);
  const whole = inflateSync(bytes.subarray(1 + size), { maxOutputLength: Math.max(1, length) });
  if (whole.length !== length) throw new StreamFault("something compressed of another length than it says");
  return whole;
}
