import type { Configuration } from "./load.ts";
import { isText, locationAt, nearestPlace, type Path, type Place } from "./place.ts";

/** One value of a resolved configuration, fit to be shown. */
export interface ShownValue {
  /** From the document's root. */
  readonly path: Path;
  /** A scalar, or an empty list or map; `***` for a secret, and a URL without its password. */
  readonly value: unknown;
  /** `config.yml:12:7`, `config.yml:12:7, from KAFKA_URL`, `MQB__ROUTES__A__BATCH_SIZE`, or `default`. */
  readonly origin: string;
  readonly secret: boolean;
}

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
