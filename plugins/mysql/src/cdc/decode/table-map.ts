import { StreamFault } from "./fault.ts";
import { Reader } from "./reader.ts";
import {
  BIT,
  BLOB,
  DATETIME2,
  DOUBLE,
  ENUM,
  FLOAT,
  GEOMETRY,
  INT24,
  JSON_TYPE,
  LONG,
  LONGLONG,
  NEWDECIMAL,
  SET,
  SHORT,
  STRING,
  TIME2,
  TIMESTAMP2,
  TINY,
  VAR_STRING,
  VARCHAR,
  YEAR,
} from "./types.ts";

/** A column as an event describes it. */
export interface MapColumn {
  readonly type: number;
  /** By the type: bytes of a length, digits of a second, precision · 256 + scale, longest value, bits. */
  readonly meta: number;
  name: string | undefined;
  isUnsigned: boolean;
  isKey: boolean;
  /** The number of the collation. */
  collation: number | undefined;
  /** Of ENUM and SET, in the bytes of the column's character set. */
  labels: readonly Buffer[] | undefined;
}

export interface TableMap {
  readonly schema: string;
  readonly table: string;
  readonly columns: readonly MapColumn[];
}

const SIGNEDNESS = 1;
const DEFAULT_CHARSET = 2;
const COLUMN_CHARSET = 3;
const COLUMN_NAME = 4;
const SET_STR_VALUE = 5;
const ENUM_STR_VALUE = 6;
const SIMPLE_PRIMARY_KEY = 8;
const PRIMARY_KEY_WITH_PREFIX = 9;
const ENUM_AND_SET_DEFAULT_CHARSET = 10;
const ENUM_AND_SET_COLUMN_CHARSET = 11;

const NUMERIC = new Set([TINY, SHORT, INT24, LONG, LONGLONG, NEWDECIMAL, FLOAT, DOUBLE]);
const CHARACTER = new Set([STRING, VAR_STRING, VARCHAR, BLOB]);

/** The names of an event of a table, which stand at its front. */
export function readTableName(reader: Reader): { readonly schema: string; readonly table: string } {
  const schema = reader.slice(reader.byte()).toString();
  reader.byte();
  const table = reader.slice(reader.byte()).toString();
  reader.byte();
  return { schema, table };
}

/** Reads the rest of it. What `binlog_row_metadata` adds may be missing. */
export function readTableMap(
  { schema, table }: { readonly schema: string; readonly table: string },
  reader: Reader,
  isMariaDb: boolean,
): TableMap {
  const types = [...reader.slice(reader.length())];
  const metas = reader.slice(reader.length());
  const meta = new Reader(metas, 0, metas.length);
  const columns = types.map((type) => columnOf(type, meta));
  // Whether they may be NULL.
  reader.take((types.length + 7) >> 3);
  const is = (set: ReadonlySet<number>, also: number) =>
    columns.filter(({ type }) => set.has(type) || (isMariaDb && type === also));
  while (reader.left > 0) {
    const kind = reader.byte();
    const body = reader.slice(reader.length());
    const field = new Reader(body, 0, body.length);
    switch (kind) {
      case SIGNEDNESS:
        for (const [i, column] of is(NUMERIC, YEAR).entries())
          column.isUnsigned = ((body[i >> 3] ?? 0) & (0x80 >> (i & 7))) !== 0;
        break;
      case DEFAULT_CHARSET:
        readDefaultCharset(field, is(CHARACTER, GEOMETRY));
        break;
      case COLUMN_CHARSET:
        for (const column of is(CHARACTER, GEOMETRY)) column.collation = field.length();
        break;
      case ENUM_AND_SET_DEFAULT_CHARSET:
        readDefaultCharset(field, columns.filter(hasLabels));
        break;
      case ENUM_AND_SET_COLUMN_CHARSET:
        for (const column of columns.filter(hasLabels)) column.collation = field.length();
        break;
      case COLUMN_NAME:
        for (const column of columns) column.name = field.slice(field.length()).toString();
        break;
      case SET_STR_VALUE:
      case ENUM_STR_VALUE: {
        const wanted = kind === SET_STR_VALUE ? SET : ENUM;
        for (const column of columns) {
          if (column.type !== wanted) continue;
          column.labels = Array.from({ length: field.length() }, () => Buffer.from(field.slice(field.length())));
        }
        break;
      }
      case SIMPLE_PRIMARY_KEY:
        while (field.left > 0) markKey(columns, field.length());
        break;
      case PRIMARY_KEY_WITH_PREFIX:
        while (field.left > 0) {
          markKey(columns, field.length());
          field.length();
        }
        break;
      default:
      // The type of geometries, and what is not for us.
    }
  }
  return { schema, table, columns };
}

function hasLabels({ type }: MapColumn): boolean {
  return type === ENUM || type === SET;
}

function markKey(columns: readonly MapColumn[], index: number): void {
  const column = columns[index];
  if (!column) throw new StreamFault("a key of a column that is not there");
  column.isKey = true;
}

function readDefaultCharset(field: Reader, columns: readonly MapColumn[]): void {
  const common = field.length();
  for (const column of columns) column.collation = common;
  while (field.left > 0) {
    const column = columns[field.length()];
    const collation = field.length();
    if (!column) throw new StreamFault("a character set of a column that is not there");
    column.collation = collation;
  }
}

function columnOf(written: number, meta: Reader): MapColumn {
  let type = written;
  let value = 0;
  switch (written) {
    case FLOAT:
    case DOUBLE:
    case BLOB:
    case GEOMETRY:
    case JSON_TYPE:
    case TIMESTAMP2:
    case DATETIME2:
    case TIME2:
    case 140: // a compressed BLOB
    case 242: // VECTOR
      value = meta.byte();
      break;
    case VARCHAR:
    case VAR_STRING:
    case 141: // a compressed VARCHAR
      value = meta.int(2);
      break;
    case BIT: {
      const bits = meta.byte();
      value = bits + 8 * meta.byte();
      break;
    }
    case NEWDECIMAL: {
      const precision = meta.byte();
      value = precision * 256 + meta.byte();
      break;
    }
    case ENUM:
    case SET:
    case STRING: {
      const first = meta.byte();
      const size = meta.byte();
      // Two bits of a length over 255 stand, turned, in the type.
      type = first | 0x30;
      value = size | (((first & 0x30) ^ 0x30) << 4);
      break;
    }
    default:
  }
  return {
    type,
    meta: value,
    name: undefined,
    isUnsigned: false,
    isKey: false,
    collation: undefined,
    labels: undefined,
  };
}
