/**
 * Finds the next match of a pattern from places that only grow; what lies ahead is looked for once and not from each of
 * them, so that all answers together take time in proportion to the text.
 */
export function ahead(text: string, pattern: RegExp): (from: number) => number {
  const own = new RegExp(pattern.source, `${pattern.flags}g`);
  let next = -1;
  return (from) => {
    if (next >= from) return next;
    own.lastIndex = from;
    next = own.exec(text)?.index ?? text.length;
    return next;
  };
}

/** The last `@` between `from` and a limit, or -1; both only grow. */
export function lastAt(text: string): (from: number, limit: number) => number {
  let known = { limit: -1, at: -1 };
  return (from, limit) => {
    if (known.limit !== limit) {
      const index = text.slice(from, limit).lastIndexOf("@");
      known = { limit, at: index < 0 ? -1 : from + index };
    }
    return known.at < from ? -1 : known.at;
  };
}

/** Where the parameter begins in whose value an `@` stands, or -1 when it begins before `from`; both only grow. */
export function paramAround(text: string): (from: number, at: number) => number {
  let known = { at: -1, param: -1 };
  return (from, at) => {
    if (known.at !== at) {
      const begin = from + Math.max(0, text.slice(from, at).lastIndexOf("&"));
      const last = [...text.slice(begin, at).matchAll(/[?&][\w.-]+=/g)].at(-1);
      known = { at, param: last ? begin + last.index : -1 };
    }
    return known.param < from ? -1 : known.param;
  };
}
