/** A text with configuration in it: a file, or an argument. */
export interface SourceText {
  /** How messages call it: a path as the user wrote it, or `--config-str`. */
  readonly name: string;
  readonly text: string;
  readonly format: "yaml" | "json";
}

/** A configuration that is a value already, e.g. what `mqb.config.ts` exports. Variables in its texts are left alone. */
export interface SourceValue {
  readonly name: string;
  readonly value: unknown;
}

/** A variable `MQB__A__B__C` that sets one value. */
export interface SourceVariable {
  /** The variable's name. */
  readonly name: string;
  readonly variable: true;
}

/** Whatever a value of a configuration can come from. */
export type Source = SourceText | SourceValue | SourceVariable;

/** Where a value of a configuration was written. Offsets count UTF-16 units from the start of the text. */
export interface Place {
  readonly source: Source;
  /** Of the key, for members of a map. */
  readonly key?: number;
  readonly value: number;
  /** Where the value ends. */
  readonly end?: number;
  readonly children: ReadonlyMap<string | number, Place>;
  /** Of a whole text: values that are written in it and are no part of what it means, as the second of two equal keys. */
  readonly discarded?: readonly Place[];
  /** Set on a text that variables were put into: what type it has is for its field to say. */
  readonly filled?: Filled;
  /** Set on a member of a map whose key variables were put into. */
  readonly filledKey?: FilledText;
}

/** A text that variables were put into. */
export interface FilledText {
  /** With what the variables put in. */
  readonly whole: string;
  /** As it stands in the document, but for the defaults. */
  readonly written: string;
  /** What each variable put into it. */
  readonly parts: readonly FilledPart[];
}

/** What is known of a text that variables were put into. */
export interface Filled extends FilledText {
  /** Written without quotes, so that it may also mean a number, true, false or nothing. */
  readonly plain: boolean;
  /** Names of the variables whose values, or whose defaults, stand in it. */
  readonly variables: readonly string[];
}

/** What stands for one reference to a variable. */
export interface FilledPart {
  readonly name: string;
  readonly text: string;
}

/** A point in a text for people; line and column count from 1, and are 0 in what is no text. */
export interface Location {
  readonly source: Source;
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

export type Path = readonly (string | number)[];

/** A text whose lines have been found, so that a location in it costs a binary search. */
export interface IndexedText extends SourceText {
  /** The offset at which each line begins. */
  readonly lines: readonly number[];
}

export const NO_CHILDREN: ReadonlyMap<string | number, Place> = new Map();

export function indexLines(source: SourceText): IndexedText {
  const lines = [0];
  for (let at = source.text.indexOf("\n"); at >= 0; at = source.text.indexOf("\n", at + 1)) lines.push(at + 1);
  return { ...source, lines };
}

/**
 * Where `path` was written: the member's key, or its value when `what` says so. What is not there (a missing field) is
 * located at the nearest thing around it.
 */
export function locate(root: Place, path: Path, what: "key" | "value" = "key"): Location {
  const { place, found } = nearestPlace(root, path);
  return locationAt(place.source, what === "value" && found ? place.value : (place.key ?? place.value));
}

/** The place of `path`, or of the nearest thing around it. */
export function nearestPlace(root: Place, path: Path): { readonly place: Place; readonly found: boolean } {
  let place = root;
  for (const part of path) {
    const child = place.children.get(part) ?? place.children.get(String(part));
    if (!child) return { place, found: false };
    place = child;
  }
  return { place, found: true };
}

/** A path as messages show it: with the keys that variables were put into as they stand in the document. */
export function pathAsWritten(root: Place, path: Path, isPublic: (key: string) => boolean): Path {
  let place: Place | undefined = root;
  return path.map((part) => {
    place = place?.children.get(part) ?? place?.children.get(String(part));
    return place?.filledKey && !isPublic(String(part)) ? place.filledKey.written : part;
  });
}

export function locationAt(source: Source, offset: number): Location {
  if (!isText(source)) return { source, offset: 0, line: 0, column: 0 };
  const { lines } = "lines" in source ? (source as IndexedText) : indexLines(source);
  let low = 0;
  let high = lines.length - 1;
  while (low < high) {
    const middle = (low + high + 1) >> 1;
    if (lines[middle]! <= offset) low = middle;
    else high = middle - 1;
  }
  return { source, offset, line: low + 1, column: offset - lines[low]! + 1 };
}

export function isText(source: Source): source is SourceText {
  return "text" in source;
}
