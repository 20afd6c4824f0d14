import type { Place } from "../document/place.ts";

/** A text that came from variables, and what to show for it. */
interface Replacement {
  readonly text: string;
  readonly shown: string;
  /** What one variable put in. */
  readonly isPart: boolean;
}

/** Shorter ones are parts of every text. */
const SHORTEST = 4;

/**
 * Shows in a message what came from variables as it was written, so that no value of a variable is in it: everything that
 * stands in `own`, the value that the message is about, also as a part of a word; what stands in `around`, only as a
 * whole. With `words`, also single words of `own`, for messages that quote a part of it. A text of `names` is public and
 * stays.
 */
export function asWritten(
  message: string,
  { own, around, words = false }: { readonly own: Place; readonly around: readonly Place[]; readonly words?: boolean },
  names: (text: string) => boolean,
): string {
  const known = new Map<string, string>();
  const add = (found: readonly Replacement[], pattern: (text: string) => string): void => {
    for (const { text, shown } of found) {
      for (const form of new Set([text, JSON.stringify(text).slice(1, -1)]))
        if (form.length >= SHORTEST && !known.has(form) && message.includes(form) && !names(form)) {
          known.set(form, shown);
          patterns.push({ length: form.length, pattern: pattern(escaped(form)) });
        }
    }
  };
  const patterns: { readonly length: number; readonly pattern: string }[] = [];
  const mine = replacementsIn(own);
  add(mine, (text) => text);
  if (words) add(mine.flatMap(wordsOf), (text) => text);
  for (const place of around) add(replacementsIn(place), (text) => `(?<![A-Za-z0-9])${text}(?![A-Za-z0-9])`);
  if (patterns.length === 0) return message;
  const any = patterns.sort((a, b) => b.length - a.length).map(({ pattern }) => pattern);
  return message.replace(new RegExp(any.join("|"), "g"), (text) => known.get(text)!);
}

function replacementsIn(place: Place): Replacement[] {
  const found: Replacement[] = [];
  const open = [place];
  for (let one = open.pop(); one; one = open.pop()) {
    open.push(...one.children.values());
    for (const filled of [one.filled, one.filledKey]) {
      if (!filled) continue;
      const { written, parts, whole } = filled;
      found.push({ text: whole, shown: written, isPart: false });
      found.push(...parts.map(({ name, text }) => ({ text, shown: `\${${name}}`, isPart: true })));
    }
  }
  return found;
}

function wordsOf(one: Replacement): Replacement[] {
  return one.isPart ? one.text.split(/\W+/).map((word) => ({ ...one, text: word })) : [];
}

function escaped(text: string): string {
  return text.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
}
