import type { EntrySettings, LookupSettings } from "./config.ts";

/** A lookup, and where it stands: in the middleware's own fields (an empty path), or in `entries`. */
export interface Placed {
  readonly settings: EntrySettings;
  readonly at: readonly (string | number)[];
}

/** Those that have an endpoint. */
export function placed(settings: LookupSettings): Placed[] {
  const { from, into, metadata, payload, cache } = settings;
  const entries = (settings.entries ?? []).map((entry, i) => ({ settings: entry, at: ["entries", i] }));
  if (from == null) return entries;
  return [{ settings: { from, into: into ?? "", metadata, payload, cache }, at: [] }, ...entries];
}

/** The place of its endpoint, as it is written. */
export function pathOf({ at }: Placed): string {
  return at.length === 0 ? "from" : `entries[${at[1]}].from`;
}
