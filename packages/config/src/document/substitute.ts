/** A reference to a variable: `${NAME}`, `${NAME:-default}` or `$NAME`. `$$` is skipped: it escapes a template. */
const REFERENCE = /\$\$|\$\{([A-Za-z_]\w*)(?::-([^}]*))?\}|\$([A-Za-z_]\w*)/g;

export interface Substituted {
  readonly text: string;
  /** Names written as `${NAME}` that nobody knows; they stay as written. `$name` is often not meant as one. */
  readonly unknown: readonly string[];
}

/**
 * Replaces references by their values. A default stands in for a variable that is absent or empty; what is neither
 * known nor has a default stays as written. Values are not looked at again.
 */
export function substitute(text: string, lookup: (name: string) => string | undefined): Substituted {
  const unknown: string[] = [];
  const result = text.replace(REFERENCE, (written, braced?: string, fallback?: string, bare?: string) => {
    if (written === "$$") return written;
    const value = lookup((braced ?? bare)!);
    if (fallback !== undefined && (value === undefined || value === "")) return fallback;
    if (value !== undefined) return value;
    if (braced !== undefined) unknown.push(braced);
    return written;
  });
  return { text: result, unknown };
}
