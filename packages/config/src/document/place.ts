/** A text with configuration in it: a file, or an argument. */
export interface SourceText {
  /** How messages call it: a path as the user wrote it, or `--config-str`. */
  readonly name: string;
  readonly text: string;
  readonly format: "yaml" | "json";
}

/** Where a value of a configuration was written. Offsets count UTF-16 units from the start of the text. */
export interface Place {
  readonly source: SourceText;
  /** Of the key, for members of a map. */
  readonly key?: number;
  readonly value: number;
  readonly children: ReadonlyMap<string | number, Place>;
}

/** A point in a text for people; line and column count from 1. */
export interface Location {
  readonly source: SourceText;
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

export type Path = readonly (string | number)[];

/**
 * Where `path` was written: the member's key, or its value when `what` says so. What is not there (a missing field) is
 * located at the nearest thing around it.
 */
export function locate(root: Place, path: Path, what: "key" | "value" = "key"): Location {
  let place = root;
  for (const part of path) {
    const child = place.children.get(part) ?? place.children.get(String(part));
    if (!child) return locationAt(place.source, place.key ?? place.value);
    place = child;
  }
  return locationAt(place.source, what === "key" ? (place.key ?? place.value) : place.value);
}

export function locationAt(source: SourceText, offset: number): Location {
  const before = source.text.slice(0, offset);
  const start = before.lastIndexOf("\n") + 1;
  let line = 1;
  for (let at = before.indexOf("\n"); at >= 0; at = before.indexOf("\n", at + 1)) line += 1;
  return { source, offset, line, column: offset - start + 1 };
}
