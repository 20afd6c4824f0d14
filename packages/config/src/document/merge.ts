import { isMap } from "@mqb/core/plugin";
import type { Place } from "./place.ts";

/** A value with the place of everything in it. */
export interface Placed {
  readonly value: unknown;
  readonly place: Place;
}

/** Lays one document over another: maps merge member by member, everything else is replaced. */
export function overlay(below: Placed, above: Placed): Placed {
  if (above.value === undefined) return below;
  if (!isMap(below.value) || !isMap(above.value)) return above;
  const value: Record<string, unknown> = { ...below.value };
  const children = new Map(below.place.children);
  for (const [key, item] of Object.entries(above.value)) {
    const place = above.place.children.get(key)!;
    const before = children.get(key);
    const merged = before
      ? overlay({ value: value[key], place: before }, { value: item, place })
      : { value: item, place };
    value[key] = merged.value;
    children.set(key, merged.place);
  }
  return { value, place: { ...above.place, children } };
}
