import { type EndpointPart, factOf, settingOf } from "./subject.ts";

/** `x-mqb-source` of an endpoint: what its readers and writers meet at, and how readers get along there. */
export interface SourceFacts {
  /** Fields that together name it: a topic, a path. */
  readonly named: readonly string[];
  /** Fields that all its readers set alike: they decide how it works for all. */
  readonly alike?: readonly string[];
  /** Flags of a reader that takes away what others read. */
  readonly alone?: readonly string[];
  /** Fields in which readers differ, or they share one position. */
  readonly apart?: readonly string[];
  /** What fields of `apart` are where they are left out. */
  readonly otherwise?: Readonly<Record<string, string>>;
  /** What readers meet at instead, once they set the field `when`. */
  readonly instead?: SourceFacts & { readonly when: string };
}

export interface NamedSource extends SourceFacts {
  /** Equal for two endpoints that name the same. */
  readonly key: string;
  /** As messages call it. */
  readonly shown: string;
}

/** What the endpoint reads or writes. */
export function sourceOf(part: EndpointPart): NamedSource | undefined {
  const facts = factOf<SourceFacts>(part, "source");
  return facts && named(part, facts);
}

/** Where the endpoint, a reader, meets others. */
export function readerSourceOf(part: EndpointPart): NamedSource | undefined {
  const facts = factOf<SourceFacts>(part, "source");
  const isOther = facts?.instead !== undefined && settingOf(part, facts.instead.when) != null;
  return facts && named(part, isOther ? facts.instead! : facts);
}

function named(part: EndpointPart, facts: SourceFacts): NamedSource | undefined {
  const values = facts.named.map((name) => settingOf(part, name) ?? null);
  if (values.every((value) => value === null || value === "-")) return undefined;
  const texts = values.filter((value) => typeof value === "string");
  return { ...facts, key: JSON.stringify([part.name, ...values]), shown: `"${texts.join(" ")}"` };
}
