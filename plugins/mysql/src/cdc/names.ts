import { type ChangeNames, changeNames } from "@mqb/sql";
import { formatPlace } from "./place.ts";

/** `base`: how the files of the log are called. */
export function namesIn(base: string): ChangeNames {
  return changeNames("mysql", "position", "source", (place) => formatPlace(base, place));
}
