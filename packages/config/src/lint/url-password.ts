import type { Problem } from "@mqb/core";
import { formatPath } from "@mqb/core";
import { memberOf } from "../fields/field.ts";
import { isAmbiguous } from "../redact/user-passwords.ts";
import { problem } from "./lint.ts";
import { leavesOf, type Part, type Subject } from "./subject.ts";

/** A password in a URL that is not encoded: the host and the path would begin in the middle of it. */
export function urlPassword({ parts }: Subject): Problem[] {
  return parts.flatMap((part) =>
    leavesOf(part).flatMap(({ path, value, field }) => {
      if (typeof value !== "string" || field.isSecret || /\s/.test(value) || !isAmbiguous(value)) return [];
      const message = `the password in "${formatPath(path)}" of "${part.name}" holds a /, ? or # that is not encoded`;
      return [problem("error", "MQB_LINT_URL_PASSWORD", [...part.path, ...path], message, hintFor(part))];
    }),
  );
}

function hintFor({ field }: Part): string {
  const encode = "percent-encode it: / is %2F, ? is %3F, # is %23, @ is %40";
  return memberOf(field, "password") ? `${encode}; or use "password", which takes it as it is` : encode;
}
