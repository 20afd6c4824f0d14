import { ownPackage } from "./own-package.ts";

/** The version of this package. */
export function version(): string {
  return String(ownPackage().json["version"]);
}
