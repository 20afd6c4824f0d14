import type { Problem } from "@mqb/core";
import { isMap } from "@mqb/core/plugin";
import { problem, type Written } from "./lint.ts";
import type { Subject } from "./subject.ts";

/** `null: {}`: whoever writes it wants to configure what has nothing to configure. */
export function nullWithOptions({ endpoints }: Subject, where: Written): Problem[] {
  return (
    endpoints
      .filter((one) => one.name === "null" && one.path.at(-1) === "null" && isMap(one.written))
      // A URI cannot say it in another way.
      .filter((one) => where.isInClear(one.path))
      .map(({ path, side }) =>
        problem("error", "MQB_LINT_NULL", path, `"null" takes no value, not even {}`, `write ${side}: null`),
      )
  );
}
