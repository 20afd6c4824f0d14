/** Types of columns, as the binary log numbers them. */
export const TINY = 1;
export const SHORT = 2;
export const LONG = 3;
export const FLOAT = 4;
export const DOUBLE = 5;
export const LONGLONG = 8;
export const INT24 = 9;
export const DATE = 10;
export const YEAR = 13;
export const NEWDATE = 14;
export const VARCHAR = 15;
export const BIT = 16;
export const TIMESTAMP2 = 17;
export const DATETIME2 = 18;
export const TIME2 = 19;
export const JSON_TYPE = 245;
export const NEWDECIMAL = 246;
export const ENUM = 247;
export const SET = 248;
export const BLOB = 252;
export const VAR_STRING = 253;
export const STRING = 254;
export const GEOMETRY = 255;

/** What cannot be read, and why. */
export const UNREAD: ReadonlyMap<number, string> = new Map([
  [7, "a TIMESTAMP of the old format; ALTER TABLE … FORCE makes it a new one"],
  [11, "a TIME of the old format; ALTER TABLE … FORCE makes it a new one"],
  [12, "a DATETIME of the old format; ALTER TABLE … FORCE makes it a new one"],
  [140, "a compressed BLOB"],
  [141, "a compressed VARCHAR"],
  [242, "a VECTOR"],
  [JSON_TYPE, "the binary JSON of MySQL"],
]);
