import { isSecretName } from "../redact/secret-names.ts";
import { passwordsIn } from "../redact/uri.ts";
import { type Leaf, leavesOf, type Part } from "./subject.ts";

/** The values of a part as written that are, or hold, something secret. */
export function credentialsOf(part: Part): Leaf[] {
  return leavesOf(part).filter(({ path, value, field }) => {
    if (typeof value !== "string" || value === "") return false;
    const name = path.findLast((step) => typeof step === "string") ?? "";
    // In a map of headers, only some are secret.
    if (field.isSecret) return path.length === 1 || typeof path[1] === "number" || isSecretName(name);
    return passwordsIn(value).some((password) => password !== "");
  });
}
