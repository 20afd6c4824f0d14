import type { Problem } from "@mqb/core";
import { problem } from "./lint.ts";
import { factOf, type Subject, settingOf } from "./subject.ts";

/** `x-mqb-identity`: the field that says what makes two messages the same, left out over a source that makes new ids. */
export function freshIds({ endpoints }: Subject): Problem[] {
  return endpoints.flatMap(({ endpoint, middlewares, name }) =>
    endpoint.input?.stableIds === false
      ? middlewares.flatMap((one) => {
          const field = factOf<string>(one, "identity");
          if (field === undefined || settingOf(one, field) != null) return [];
          const message = `without "${field}", "${one.name}" goes by the message_id, which "${name}" makes anew at each reading: what is read again is never known`;
          const hint = `set ${field} to a value of the message, such as \${payload:order_id}`;
          return [problem("warning", "MQB_LINT_FRESH_IDS", one.path, message, hint)];
        })
      : [],
  );
}
