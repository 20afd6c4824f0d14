import { EVENT_ID, type Event, getScalarValue, parseEvents, SCALAR_STYLE, type ScalarEvent } from "js-yaml";
import type { TextMap, TextNode, TextPair, TextScalar } from "./nodes.ts";
import { guessPlain } from "./plain.ts";

/** What stands in few configurations: anchors, aliases, merge keys, tags, long escapes, directives, tabs, a second document, a lone CR. */
const RARE = /[&*!%\t\uFEFF]|<<|\\U|^[ ]*(?:---|\.\.\.)|\r(?!\n)/m;
const LONGEST_KEY = 1000;
const HEX_OR_OCTAL = /^0(?:o[0-7]+|x[\da-fA-F]+)$/;
const NO_NUMBER = /^(?:[-+]?\.(?:inf|Inf|INF)|\.(?:nan|NaN|NAN))$/;

/**
 * Reads a plain YAML text several times as fast as the parser that can explain what is wrong. Undefined = ask that one:
 * the text is no YAML, or has in it what only few texts have. Both give the same nodes.
 */
export function readQuickly(text: string): TextNode | undefined {
  if (RARE.test(text)) return undefined;
  let events: readonly Event[];
  try {
    events = parseEvents(text, { maxDepth: 100 });
  } catch {
    return undefined;
  }
  try {
    return new Reader(text, events).document();
  } catch (error) {
    if (error === RARE) return undefined;
    throw error;
  }
}

class Reader {
  private readonly text: string;
  private readonly events: readonly Event[];
  private at = 1;

  constructor(text: string, events: readonly Event[]) {
    this.text = text;
    this.events = events;
  }

  document(): TextNode | undefined {
    return this.events.length === 0 ? undefined : this.node(0);
  }

  /** `behind` is where the text before the node ends. */
  private node(behind: number): TextNode {
    const event = this.events[this.at++]!;
    if (event.type === EVENT_ID.SCALAR) return this.scalar(event, behind);
    if (event.type === EVENT_ID.MAPPING) return this.map(event.start);
    if (event.type === EVENT_ID.SEQUENCE) return this.list(event.start);
    throw RARE;
  }

  private map(start: number): TextMap {
    const pairs: TextPair[] = [];
    let end = start;
    while (!this.isOver()) {
      const key = this.node(end);
      // The other parser refuses keys that are longer.
      if (key.kind === "scalar" && key.text.length > LONGEST_KEY) throw RARE;
      if (key.kind !== "scalar" || (key.isPlain && key.text === "")) throw RARE;
      end = key.end!;
      const value = this.node(end);
      end = value.end ?? end;
      pairs.push({ key, value });
    }
    return { kind: "map", pairs, start, end: this.endOf(start, "{", "}", end) };
  }

  private list(start: number): TextNode {
    const items: TextNode[] = [];
    let end = start;
    while (!this.isOver()) {
      const item = this.node(-1);
      end = item.end ?? end;
      items.push(item);
    }
    return { kind: "list", items, start, end: this.endOf(start, "[", "]", end) };
  }

  private isOver(): boolean {
    if (this.events[this.at]!.type !== EVENT_ID.POP) return false;
    this.at += 1;
    return true;
  }

  /** A bracket may stand in a comment before the one that closes. */
  private endOf(start: number, opens: string, closes: string, inner: number): number {
    if (this.text[start] !== opens) return inner;
    const end = this.text.indexOf(closes, Math.max(inner, start + 1)) + 1;
    if (this.text.slice(inner, end).includes("#")) throw RARE;
    return end;
  }

  private scalar(event: ScalarEvent, behind: number): TextScalar {
    const { style, valueStart, valueEnd } = event;
    if (valueStart < 0) return this.nothing(behind);
    const text = event.fast ? this.text.slice(valueStart, valueEnd) : getScalarValue(this.text, event);
    if (style === SCALAR_STYLE.PLAIN) {
      const value = meaningOf(text);
      return { kind: "scalar", value, text, isPlain: true, isQuoted: false, start: valueStart, end: valueEnd };
    }
    // Where the header of a block scalar stands is not told.
    if (style !== SCALAR_STYLE.SINGLE_QUOTED && style !== SCALAR_STYLE.DOUBLE_QUOTED) throw RARE;
    const quoted = { isPlain: false, isQuoted: true, start: valueStart - 1, end: valueEnd + 1 };
    return { kind: "scalar", value: text, text, ...quoted };
  }

  /** What is not written, behind the colon of its key. */
  private nothing(behind: number): TextScalar {
    const colon = behind < 0 ? -1 : this.text.indexOf(":", behind);
    if (colon < 0 || this.text.slice(behind, colon).trim() !== "") throw RARE;
    const place = { start: colon + 1, end: colon + 1 };
    return { kind: "scalar", value: null, text: "", isPlain: true, isQuoted: false, ...place };
  }
}

function meaningOf(text: string): unknown {
  const first = text.charCodeAt(0);
  // Most texts begin like no number, true, false or null.
  if (first > 0x2e && first < 0x3a) {
    if (HEX_OR_OCTAL.test(text)) return Number(text);
  } else if (NO_NUMBER.test(text)) {
    return text.startsWith("-") ? -Infinity : /n/i.test(text[1]!) ? Number.NaN : Infinity;
  }
  const meaning = guessPlain(text);
  return typeof meaning === "bigint" ? Number(meaning) : meaning;
}
