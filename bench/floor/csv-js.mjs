// node csv-js.mjs IN OUT: CSV to JSON lines, bytes to bytes, one plain loop: what JavaScript can do with no bridge around
// it. It knows comma, quote and line feed, expects well-formed UTF-8 and a record below 1 MiB, and nothing else.
import { closeSync, openSync, readSync, writeSync } from "node:fs";

const [COMMA, QUOTE, FEED, BACKSLASH] = [44, 34, 10, 92];
const CHUNK = 1 << 20;
const [input, output] = process.argv.slice(2);
const from = openSync(input, "r");
const to = openSync(output, "w");
const bytes = Buffer.allocUnsafe(2 * CHUNK);
// The worst case: every byte a control character, six bytes in JSON; the keys come on top.
const out = Buffer.allocUnsafe(16 * CHUNK);
const HIGH_WATER = 2 * CHUNK;
const hex = Buffer.from("0123456789abcdef");
const short = new Map([
  [8, 98],
  [9, 116],
  [10, 110],
  [12, 102],
  [13, 114],
]);

let keys;
let end = 0;
let at = 0;
for (;;) {
  const n = readSync(from, bytes, end, CHUNK, null);
  if (n === 0) break;
  end += n;
  const consumed = convert(end);
  bytes.copyWithin(0, consumed, end);
  end -= consumed;
}
if (end > 0) {
  bytes[end] = FEED;
  convert(end + 1);
}
flush();
closeSync(to);

/** Writes every complete record that lies before `limit`; returns where the first incomplete one begins. */
function convert(limit) {
  let p = 0;
  let record = 0;
  if (keys === undefined) {
    const line = bytes.subarray(0, bytes.indexOf(FEED));
    p = record = line.length + 1;
    keys = line
      .toString()
      .split(",")
      .map((key, i) => Buffer.from(`${i ? '",' : "{"}${JSON.stringify(key)}:"`));
  }
  for (;;) {
    const began = at;
    let quotes = bytes[p] === QUOTE;
    for (let column = 0; ; ) {
      const key = keys[column];
      for (let i = 0; i < key.length; i += 1) out[at++] = key[i];
      if (quotes) p += 1;
      let byte = 0;
      for (; p < limit; p += 1) {
        byte = bytes[p];
        if (quotes) {
          if (byte === QUOTE) {
            p += 1;
            if (p >= limit) break;
            byte = bytes[p];
            if (byte !== QUOTE) break;
            out[at++] = BACKSLASH;
          } else if (byte === BACKSLASH) out[at++] = BACKSLASH;
          else if (byte < 32) {
            control(byte);
            continue;
          }
        } else if (byte === COMMA || byte === FEED) break;
        else if (byte === BACKSLASH) out[at++] = BACKSLASH;
        else if (byte < 32) {
          control(byte);
          continue;
        }
        out[at++] = byte;
      }
      if (p >= limit) {
        at = began;
        if (at > HIGH_WATER) flush();
        return record;
      }
      p += 1;
      if (byte === FEED) break;
      quotes = bytes[p] === QUOTE;
      column += 1;
    }
    out[at++] = QUOTE;
    out[at++] = 125;
    out[at++] = FEED;
    record = p;
  }
}

function control(byte) {
  out[at++] = BACKSLASH;
  const letter = short.get(byte);
  if (letter !== undefined) {
    out[at++] = letter;
    return;
  }
  at += out.write("u00", at, "latin1");
  out[at++] = hex[byte >> 4];
  out[at++] = hex[byte & 15];
}

function flush() {
  for (let done = 0; done < at; ) done += writeSync(to, out, done, at - done);
  at = 0;
}
