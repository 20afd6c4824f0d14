/**
 * A parsed text before variables are put in, whichever parser read it. `start` and `end` are those of the value, quotes
 * included, in UTF-16 units; a value that is not written has none.
 */
export type TextNode = TextScalar | TextMap | TextList | TextAlias;

interface Written {
  readonly start?: number;
  readonly end?: number;
}

export interface TextScalar extends Written {
  readonly kind: "scalar";
  /** What it means in YAML 1.2: a text, a number, true, false, null, or what a tag makes of it. */
  readonly value: unknown;
  /** As it stands in the text; without quotes and escapes. */
  readonly text: string;
  /** Written without quotes. */
  readonly isPlain: boolean;
  readonly isQuoted: boolean;
}

export interface TextMap extends Written {
  readonly kind: "map";
  readonly pairs: readonly TextPair[];
}

export interface TextPair {
  readonly key: TextNode | undefined;
  readonly value: TextNode | undefined;
}

export interface TextList extends Written {
  readonly kind: "list";
  readonly items: readonly (TextNode | undefined)[];
}

export interface TextAlias extends Written {
  readonly kind: "alias";
  /** The last node before it that has the anchor. */
  readonly target: TextNode | undefined;
}
