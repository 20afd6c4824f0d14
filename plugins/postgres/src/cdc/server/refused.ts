import { classify, shown } from "../../client/classify.ts";
import { errors } from "../../errors.ts";

const BUSY = "55006";
export const EXISTS = "42710";
const NO_RIGHT = "42501";

/** The error for what the server says about a stream or slot. */
export function refused(error: unknown, target: string, slot = ""): Error {
  const { reason, cause } = shown(error);
  const options = { cause };
  switch (codeOf(error)) {
    case NO_RIGHT:
      return errors.NO_RIGHT({ target, reason }, options);
    case BUSY:
      return errors.SLOT_IN_USE({ slot, target, reason }, options);
    case "42704":
      if (/^replication slot /.test(reason)) return errors.SLOT_GONE({ slot, target }, options);
      return slot !== "" && /^publication /.test(reason)
        ? errors.PUBLICATION_LATE({ slot, target, reason }, options)
        : errors.STREAM({ target, reason }, options);
    case "55000":
      return /can no longer|invalidated|obsolete/.test(reason)
        ? errors.SLOT_LOST({ slot, target }, options)
        : errors.STREAM({ target, reason }, options);
    default:
      return classify(error, target);
  }
}

export function codeOf(error: unknown): string | undefined {
  const { code } = error as { readonly code?: unknown };
  return typeof code === "string" ? code : undefined;
}
