import type { ChangeLog } from "@mqb/sql";
import { UserTypes } from "../../user-types.ts";
import { StreamFault } from "./fault.ts";
import { type Described, Fields, type Relation, readDescription, relationOf } from "./relation.ts";
import { RowWriter } from "./row-writer.ts";
import type { Spool, Spools } from "./spool.ts";

/** What an open transaction may have in memory; the rest of it is kept in a file until its commit. */
export const MOST_OPEN = 2 * 1024 * 1024;

const B = 66;
const C = 67;
const I = 73;
const U = 85;
const D = 68;
const T = 84;
const R = 82;
const Y = 89;
const O = 79;
const M = 77;
const S = 83;
const E = 69;
const A = 65;
const c = 99;

/** A transaction whose commit has arrived, with what of it lies in a file. */
export interface Replay {
  readonly spool: Spool;
  readonly lsn: bigint;
  ordinal: number;
}

/**
 * Reads the messages of pgoutput, protocol 1 and 2: https://www.postgresql.org/docs/current/protocol-logicalrep-message-formats.html
 * Transactions of which the server sends pieces before they are committed are kept in files until then; so is the larger part
 * of other large ones.
 */
export class Decoder {
  /** Set when a commit has arrived for what lies in a file: that has to be read before the next message. */
  replay: Replay | undefined;
  /** Set when a table has columns of types that are not known: the catalog has to be asked before the next message. */
  asks: Described | undefined;
  private readonly types: UserTypes;
  private readonly log: ChangeLog;
  private readonly rows: RowWriter;
  private readonly spools: Spools;
  private readonly relations = new Map<number, Relation>();
  private lastOid = -1;
  private last: Relation | undefined;
  private ordinal = 0;
  private opened = 0;
  /** Of the open transaction, when it has become large. */
  private overflow: Spool | undefined;
  /** The transaction of which a piece is being read; 0 = none. */
  private streamed = 0;
  private readonly pieces = new Map<number, Spool>();

  constructor(log: ChangeLog, spools: Spools, splitsKeyChange: boolean, types: UserTypes = new UserTypes()) {
    this.types = types;
    this.log = log;
    this.spools = spools;
    this.rows = new RowWriter(log, splitsKeyChange);
  }

  /** One message, `bytes[at .. end)`. Throws a `StreamFault` for what is none. */
  message(bytes: Buffer, at: number, end: number): void {
    if (at >= end) throw new StreamFault("an empty message");
    const kind = bytes[at]!;
    if (this.streamed !== 0 && kind !== E) return void this.keepPiece(bytes, at, end);
    switch (kind) {
      case I:
      case U:
      case D:
      case T:
        return void this.change(bytes, at, end);
      case B:
        readBegin(new Fields(bytes, at + 1, end));
        if (this.log.isOpen) throw new StreamFault("a transaction inside of another one");
        this.log.begin();
        this.ordinal = 0;
        this.opened = this.log.unread;
        return;
      case C:
        return void this.commit(new Fields(bytes, at + 1, end));
      case R:
        if (this.overflow) return void this.overflow.add(0, bytes, at, end);
        return void this.relation(new Fields(bytes, at + 1, end));
      case Y:
      case O:
      case M:
        return;
      case S:
        return void this.startPiece(new Fields(bytes, at + 1, end));
      case E:
        if (this.streamed === 0) throw new StreamFault("the end of a piece without its beginning");
        this.streamed = 0;
        return;
      case c:
        return void this.commitPieces(new Fields(bytes, at + 1, end));
      case A:
        return void this.abort(new Fields(bytes, at + 1, end));
      default:
        throw new StreamFault(`a message of the unknown kind ${kind}`);
    }
  }

  /** A message that was kept: of a transaction whose commit is known. */
  replayed(bytes: Buffer, at: number, end: number): void {
    if (bytes[at] === R) this.relation(new Fields(bytes, at + 1, end));
    else this.row(bytes, at, end);
  }

  beginReplay(replay: Replay): void {
    if (!this.log.isOpen) this.log.begin();
    this.ordinal = replay.ordinal;
    this.log.release(replay.lsn);
  }

  endReplay({ lsn }: Replay): void {
    this.replay = undefined;
    this.log.commit(lsn);
  }

  /** The types are known now. */
  answered(): void {
    const { asks } = this;
    this.asks = undefined;
    if (asks) this.describe(asks);
  }

  private change(bytes: Buffer, at: number, end: number): void {
    if (!this.log.isOpen) throw new StreamFault("a change outside of a transaction");
    if (this.overflow) return void this.overflow.add(0, bytes, at, end);
    if (this.log.unread - this.opened > MOST_OPEN) {
      this.overflow = this.spools.open();
      return void this.overflow.add(0, bytes, at, end);
    }
    this.row(bytes, at, end);
  }

  private row(bytes: Buffer, at: number, end: number): void {
    const kind = bytes[at]!;
    if (kind === T) return void this.truncate(new Fields(bytes, at + 1, end));
    if (at + 6 > end) throw new StreamFault("a change that is too short");
    const oid = bytes.readUInt32BE(at + 1);
    if (oid !== this.lastOid) {
      this.last = this.known(oid);
      this.lastOid = oid;
    }
    const relation = this.last!;
    const tuple = bytes[at + 5]!;
    switch (kind) {
      case I:
        if (tuple !== 78) throw new StreamFault("an insert without its row");
        this.ordinal += this.rows.insert(relation, bytes, at + 6, end, this.ordinal);
        return;
      case U:
        this.ordinal += this.rows.update(relation, bytes, at + 5, end, this.ordinal);
        return;
      case D:
        if (tuple !== 75 && tuple !== 79) throw new StreamFault("a delete without its row");
        this.ordinal += this.rows.remove(relation, bytes, at + 6, end, this.ordinal);
        return;
      default:
        throw new StreamFault(`a message of the unknown kind ${kind}`);
    }
  }

  private truncate(fields: Fields): void {
    const count = fields.int();
    fields.byte();
    for (let i = 0; i < count; i++) this.rows.truncate(this.known(fields.int()), this.ordinal++);
  }

  private known(oid: number): Relation {
    const relation = this.relations.get(oid);
    if (!relation) throw new StreamFault(`a change of table ${oid}, which was not described`);
    return relation;
  }

  private relation(fields: Fields): void {
    const described = readDescription(fields);
    if (described.columns.every(({ type }) => this.types.knows(type))) this.describe(described);
    else this.asks = described;
  }

  private describe(described: Described): void {
    this.relations.set(described.oid, relationOf(described, this.types));
    this.lastOid = -1;
  }

  private commit(fields: Fields): void {
    const lsn = readCommit(fields);
    if (!this.log.isOpen) throw new StreamFault("a commit without its transaction");
    const spool = this.overflow;
    if (!spool) return void this.log.commit(lsn);
    this.overflow = undefined;
    this.replay = { spool, lsn, ordinal: this.ordinal };
  }

  private startPiece(fields: Fields): void {
    const xid = fields.int();
    fields.byte();
    if (xid === 0 || this.log.isOpen) throw new StreamFault("a piece of a transaction where none can be");
    this.streamed = xid;
    if (!this.pieces.has(xid)) this.pieces.set(xid, this.spools.open());
  }

  /** Inside of a piece a message names the transaction that it is of, which may be one below, behind its kind. */
  private keepPiece(bytes: Buffer, at: number, end: number): void {
    const kind = bytes[at]!;
    if (kind === Y || kind === O || kind === M) return;
    if (kind !== I && kind !== U && kind !== D && kind !== T && kind !== R)
      throw new StreamFault(`a message of the kind ${kind} in a piece of a transaction`);
    if (at + 5 > end) throw new StreamFault("a message that is too short");
    const xid = bytes.readUInt32BE(at + 1);
    // Tables that are described in what is rolled back later are not described again.
    this.pieces.get(this.streamed)!.addWithout(kind === R ? 0 : xid, bytes, at, end);
  }

  private commitPieces(fields: Fields): void {
    const xid = fields.int();
    const lsn = readCommit(fields);
    const spool = this.pieces.get(xid);
    if (!spool) throw new StreamFault("the commit of a transaction of which no piece has come");
    this.pieces.delete(xid);
    this.replay = { spool, lsn, ordinal: 0 };
  }

  private abort(fields: Fields): void {
    const xid = fields.int();
    const part = fields.int();
    const spool = this.pieces.get(xid);
    if (!spool) return;
    if (part !== xid) return void spool.leaveOut(part);
    this.pieces.delete(xid);
    void spool.discard();
  }
}

function readBegin(fields: Fields): void {
  fields.long();
  fields.long();
  fields.int();
}

/** Gives where the commit ends. */
function readCommit(fields: Fields): bigint {
  fields.byte();
  fields.long();
  const lsn = fields.long();
  fields.long();
  return lsn;
}
