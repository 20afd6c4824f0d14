import type { Problem } from "@mqb/core";
import { problem } from "./lint.ts";
import { factOf, type Subject } from "./subject.ts";

/** `x-mqb-answers`: an output that answers the sender of each message, over an input that cannot pass an answer on. */
export function noAnswer({ endpoints, plan }: Subject): Problem[] {
  if (plan.input.input!.replies) return [];
  return endpoints
    .filter((one) => factOf<boolean>(one, "answers") === true)
    .map((one) => {
      const message = `"${one.name}" answers the sender, but "${plan.input.type}" passes no answers on: they are dropped`;
      return problem(
        "warning",
        "MQB_LINT_NO_ANSWER",
        one.path,
        message,
        "use an input that takes requests, such as http",
      );
    });
}
