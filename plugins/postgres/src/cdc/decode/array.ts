import type { Column } from "./column.ts";
import { KIND, writeByte, writeNull, writeScalar } from "./column.ts";
import { StreamFault } from "./fault.ts";

const [OPEN, CLOSE, QUOTE, BACKSLASH, EQUALS] = [123, 125, 34, 92, 61];
const [SQUARE, SQUARE_END] = [91, 93];
const COMMA = 44;

/** An array as the server prints it, `{1,NULL,"a b"}` or `[0:1]={{1},{2}}`, as a JSON array; nested ones too. */
export function writeArray(column: Column, bytes: Buffer, from: number, to: number, out: Buffer, at: number): number {
  let i = from;
  if (bytes[i] === SQUARE) {
    i = bytes.indexOf(EQUALS, i) + 1;
    if (i === 0 || i > to) throw malformed();
  }
  let depth = 0;
  for (; i < to; ) {
    const byte = bytes[i]!;
    if (byte === OPEN) {
      depth++;
      out[at++] = SQUARE;
      i++;
    } else if (byte === CLOSE) {
      depth--;
      out[at++] = SQUARE_END;
      i++;
      if (depth === 0) break;
    } else if (byte === column.delimiter) {
      out[at++] = COMMA;
      i++;
    } else if (byte === QUOTE) {
      const end = endOfQuoted(bytes, i + 1, to);
      at = writeQuoted(column, bytes, i + 1, end, out, at);
      i = end + 1;
    } else {
      const end = endOfPlain(bytes, i, to, column.delimiter);
      at = isNull(bytes, i, end) ? writeNull(out, at) : writeScalar(elementKind(column), bytes, i, end, out, at);
      i = end;
    }
  }
  if (depth !== 0 || i !== to) throw malformed();
  return at;
}

/** Bytes keep their sign inside of arrays, where a reader has nothing else to know them by. */
function elementKind({ element }: Column): Column["element"] {
  return element === KIND.bytes ? KIND.text : element;
}

function isNull(bytes: Buffer, from: number, to: number): boolean {
  return to - from === 4 && bytes[from] === 78 && bytes.toString("latin1", from, to) === "NULL";
}

function endOfQuoted(bytes: Buffer, from: number, to: number): number {
  for (let i = from; i < to; i++) {
    if (bytes[i] === BACKSLASH) i++;
    else if (bytes[i] === QUOTE) return i;
  }
  throw malformed();
}

function endOfPlain(bytes: Buffer, from: number, to: number, delimiter: number): number {
  for (let i = from; i < to; i++) {
    if (bytes[i] === delimiter || bytes[i] === CLOSE || bytes[i] === OPEN) return i;
  }
  throw malformed();
}

function writeQuoted(column: Column, bytes: Buffer, from: number, to: number, out: Buffer, at: number): number {
  if (column.element === KIND.json) {
    const plain = Buffer.allocUnsafe(to - from);
    let size = 0;
    for (let i = from; i < to; i++) plain[size++] = bytes[bytes[i] === BACKSLASH ? ++i : i]!;
    return writeScalar(KIND.json, plain, 0, size, out, at);
  }
  out[at++] = QUOTE;
  for (let i = from; i < to; i++) at = writeByte(bytes[bytes[i] === BACKSLASH ? ++i : i]!, out, at);
  out[at++] = QUOTE;
  return at;
}

function malformed(): StreamFault {
  return new StreamFault("an array that is none");
}
