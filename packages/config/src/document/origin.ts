import type { Configuration } from "./load.ts";
import { isText, locationAt, nearestPlace, type Path, type Place } from "./place.ts";

/** Where the value at a path of the document comes from, for people; `default` for what is not written anywhere. */
export function originOf(configuration: Pick<Configuration, "place">, path: Path): string {
  const { place, found } = nearestPlace(configuration.place, path);
  return found ? describePlace(place) : "default";
}

export function describePlace(place: Place): string {
  const { source, filled } = place;
  const variables = filled?.variables ?? [];
  const from = variables.length > 0 ? `, from ${variables.join(", ")}` : "";
  if (!isText(source)) return `${source.name}${from}`;
  const { line, column } = locationAt(source, place.value);
  return `${source.name}:${line}:${column}${from}`;
}
