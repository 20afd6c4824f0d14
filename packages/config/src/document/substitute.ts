import type { FilledPart } from "./place.ts";

/** A reference to a variable: `${NAME}`, `${NAME:-default}` or `$NAME`. `$$` is skipped: it escapes a template. */
const REFERENCE = /\$\$|\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}|\$([A-Za-z_]\w*)/g;
const BARE_REFERENCE = /\$\$|\$([A-Za-z_]\w*)/g;

export interface Substituted {
  readonly text: string;
  /** The references that were replaced, by a value or by a default. */
  readonly used: readonly FilledPart[];
  /** Names written as `${NAME}` that nobody knows; they stay as written. `$name` is often not meant as one. */
  readonly unknown: readonly string[];
}

/**
 * Replaces references by their values. A default stands in for a variable that is absent or empty; what is neither
 * known nor has a default stays as written. Values are not looked at again.
 */
export function substitute(text: string, lookup: (name: string) => string | undefined): Substituted {
  const unknown: string[] = [];
  const used: FilledPart[] = [];
  const replaced = (written: string, braced?: string, fallback?: string, bare?: string): string => {
    if (written === "$$") return written;
    const name = (braced ?? bare)!;
    const value = lookup(name);
    const isEmpty = value === undefined || value === "";
    if (value === undefined && fallback === undefined) {
      if (braced !== undefined) unknown.push(braced);
      return written;
    }
    const put = isEmpty && fallback !== undefined ? fallback : value!;
    used.push({ name, text: put });
    return put;
  };
  // Behind the last brace none is closed, and the end of it would be looked for from each one that is opened.
  const end = text.lastIndexOf("}") + 1;
  const head = text.slice(0, end).replace(REFERENCE, replaced);
  const tail = text
    .slice(end)
    .replace(BARE_REFERENCE, (written, name?: string) => replaced(written, undefined, undefined, name));
  return { text: head + tail, used, unknown };
}

/** A text with references as messages show it: without the defaults, which may be secrets. */
export function withoutDefaults(text: string): string {
  return text.replace(/(\$\{[A-Za-z_]\w*:-)[^}]*\}/g, "$1…}");
}
