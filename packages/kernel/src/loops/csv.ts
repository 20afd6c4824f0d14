import { CFG, DELIMITER, FLAG, RES, SLOT_STRIDE, STATUS } from "../layout.ts";
import { ESCAPES, writeEscape } from "./escape.ts";

const LF = 10;
const CR = 13;
const QUOTE = 34;

const PLAIN = 0;
const ESCAPED = 1;
const SEPARATOR = 2;
const DELIMITED = 3;

/**
 * CSV records to JSON lines, one pass.
 *
 * In: bytes [inp, inEnd) begin with a record; the delimiter and an LF are written at inEnd, where 32 more bytes may be
 * read. `CFG`: the dialect, and keys as keyCount x {u32 address, u32 length} of `{"a":"`, `","b":"`, … Output stops
 * before a record would pass outLimit; up to 64 bytes and two fragments may be written behind it.
 *
 * Out: record i as `slots[i]` start, `slots[i + STRIDE]` end (both less CFG.outBase) and `slots[i + 2 STRIDE]` the
 * position behind it in the input (less CFG.inBase); each followed by LF. Ragged rows as {index, start, end, fields,
 * lines before it} at CFG.ragged. `RES`: consumed and written bytes, status, counts, LFs consumed, fault position.
 */
export function createCsvLoop(memory: Buffer, words: Uint32Array) {
  const classes = new Uint8Array(256);
  let classesFor = -1;

  function classify(separator: number, first: number): void {
    const key = separator * 256 + first;
    if (key === classesFor) return;
    classesFor = key;
    for (let byte = 0; byte < 256; byte++) classes[byte] = ESCAPES[byte] === 0 ? PLAIN : ESCAPED;
    classes[first] = DELIMITED;
    classes[separator] = SEPARATOR;
  }

  function delimited(p: number, inEnd: number, length: number): boolean {
    if (p < inEnd && p + length > inEnd) return false;
    for (let i = 1; i < length; i++) if (memory[p + i] !== memory[DELIMITER + i]) return false;
    return true;
  }

  return function csv(
    inp: number,
    inEnd: number,
    out: number,
    outLimit: number,
    slot: number,
    max: number,
    final: number,
  ): number {
    const keys = words[CFG.keys]!;
    const keysEnd = keys + words[CFG.keyCount]! * 8;
    const separator = words[CFG.separator]!;
    const quote = words[CFG.quote]!;
    const escapeByte = words[CFG.escape]!;
    const flags = words[CFG.flags]!;
    const maxField = words[CFG.maxField]!;
    const maxRecord = words[CFG.maxRecord]!;
    const inBase = words[CFG.inBase]!;
    const outBase = words[CFG.outBase]!;
    const delimiterLength = words[CFG.delimiterLength]!;
    const first = memory[DELIMITER]!;
    const raggedEnd = words[CFG.raggedEnd]!;
    const dropCr = (flags & FLAG.dropCr) !== 0;
    let ragged = words[CFG.ragged]!;
    classify(separator, first);

    let delimiterLines = 0;
    for (let i = 0; i < delimiterLength; i++) {
      memory[inEnd + i] = memory[DELIMITER + i]!;
      if (memory[DELIMITER + i] === LF) delimiterLines++;
    }
    memory[inEnd + delimiterLength] = LF;

    let p = inp;
    let o = out;
    let n = 0;
    let status: number = STATUS.inputUsed;
    let short = 0;
    let long = 0;
    let lines = 0;
    let recordStart = p;
    let recordOut = o;
    let recordLines = 0;
    let fault = 0;

    for (;;) {
      recordStart = p;
      recordOut = o;
      recordLines = lines;
      if (p >= inEnd) break;
      if (n >= max || ragged + 20 > raggedEnd) {
        status = STATUS.maxReached;
        break;
      }
      let c = memory[p]!;
      if (c === first && delimited(p, inEnd, delimiterLength)) {
        p += delimiterLength;
        lines += delimiterLines;
        continue;
      }
      if (dropCr && c === CR && memory[p + 1] === LF) {
        if (p + 1 >= inEnd && final === 0) break;
        p += 2;
        lines++;
        continue;
      }
      let key = keys;
      let fields = 0;
      let surplus = false;
      let fieldStart = p;
      let ended = false;
      let full = false;
      let open = false;
      let cr = 0;
      for (;;) {
        fieldStart = p;
        const fieldOut = o;
        if (o > outLimit) {
          full = true;
          break;
        }
        fields++;
        if (key < keysEnd) {
          let from = words[key >> 2]!;
          const to = from + words[(key >> 2) + 1]!;
          while (from < to) memory[o++] = memory[from++]!;
          key += 8;
        } else surplus = true;
        if (memory[p] === quote) {
          p++;
          for (;;) {
            c = memory[p]!;
            if (c === quote) {
              if (memory[p + 1] !== quote) {
                p++;
                break;
              }
              p++;
            } else if (c === escapeByte) {
              if (p + 1 >= inEnd) {
                open = true;
                break;
              }
              c = memory[++p]!;
            } else if (c === LF && p >= inEnd) {
              open = true;
              break;
            }
            const letter = ESCAPES[c]!;
            if (letter === 0) memory[o++] = c;
            else {
              if (c === LF) lines++;
              o = writeEscape(memory, o, c, letter);
            }
            p++;
            if (o > outLimit) {
              full = true;
              break;
            }
          }
          if (open || full) break;
        }
        for (;;) {
          while (o <= outLimit && classes[(c = memory[p]!)] === PLAIN) {
            memory[o++] = c;
            p++;
          }
          if (o > outLimit) {
            full = true;
            break;
          }
          if (c === separator) break;
          if (c === first && delimited(p, inEnd, delimiterLength)) {
            ended = true;
            break;
          }
          if (dropCr && c === CR && memory[p + 1] === LF) {
            p++;
            cr = 1;
            ended = true;
            break;
          }
          const letter = ESCAPES[c]!;
          if (letter === 0) memory[o++] = c;
          else {
            if (c === LF) lines++;
            o = writeEscape(memory, o, c, letter);
          }
          p++;
        }
        if (full) break;
        if (p - cr - fieldStart > maxField && (p < inEnd || final !== 0)) {
          status = STATUS.fieldTooLong;
          break;
        }
        if (surplus) o = fieldOut;
        if (ended) break;
        p++;
      }
      if (full) {
        status = STATUS.outputFull;
        break;
      }
      fault = fieldStart - inp;
      if (status !== STATUS.inputUsed) break;
      if (open || (p >= inEnd && final === 0)) {
        // Not whole: wait for more, unless what is there, a part of the delimiter aside, is already too much.
        if (p - fieldStart > maxField + delimiterLength) status = STATUS.fieldTooLong;
        else if (p - recordStart > maxRecord + delimiterLength) status = STATUS.recordTooLong;
        else if (final !== 0) status = STATUS.unterminatedQuote;
        break;
      }
      if (p - cr - recordStart > maxRecord) {
        status = STATUS.recordTooLong;
        break;
      }
      if (key !== keysEnd && (flags & FLAG.fillShort) !== 0) {
        for (let missing = key; missing < keysEnd && o <= outLimit; missing += 8) {
          let from = words[missing >> 2]!;
          const to = from + words[(missing >> 2) + 1]!;
          while (from < to) memory[o++] = memory[from++]!;
        }
        if (o > outLimit) {
          status = STATUS.outputFull;
          break;
        }
      }
      memory[o] = QUOTE;
      memory[o + 1] = 125;
      memory[o + 2] = LF;
      o += 3;
      if (surplus || key !== keysEnd) {
        if (surplus) long++;
        else short++;
        if ((flags & FLAG.listRagged) !== 0) {
          const at = ragged >> 2;
          words[at] = n;
          words[at + 1] = recordStart - inBase;
          words[at + 2] = p - inBase;
          words[at + 3] = fields;
          words[at + 4] = recordLines;
          ragged += 20;
        }
      }
      p += delimiterLength;
      lines += delimiterLines;
      const at = slot >> 2;
      words[at] = recordOut - outBase;
      words[at + SLOT_STRIDE / 4] = o - 1 - outBase;
      words[at + SLOT_STRIDE / 2] = Math.min(p, inEnd) - inBase;
      slot += 4;
      n++;
    }
    if (recordStart > inEnd) recordStart = inEnd;
    words[RES.consumed] = recordStart - inp;
    words[RES.written] = recordOut - out;
    words[RES.status] = status;
    words[RES.short] = short;
    words[RES.long] = long;
    words[RES.lines] = recordLines;
    words[RES.ragged] = (ragged - words[CFG.ragged]!) / 20;
    words[RES.fault] = fault;
    return n;
  };
}
