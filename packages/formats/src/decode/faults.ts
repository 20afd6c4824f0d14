import { isRecordFault } from "@mqb/kernel";
import { formatErrors } from "../errors.ts";

/** The coded error of a fault that a reader has met, which says all that the fault does; other errors as they are. */
export function readingError(error: unknown, source: string): unknown {
  if (!isRecordFault(error)) return error;
  const { offset, line, limit = 0, quoted } = error;
  switch (error.kind) {
    case "utf16":
      return formatErrors.UTF16({ source });
    case "unterminated_quote":
      return formatErrors.UNTERMINATED_QUOTE({ source, offset, line });
    case "field_too_long":
      return formatErrors.FIELD_TOO_LONG({ source, offset, line, limit, quoted });
    case "record_too_long":
      return formatErrors.RECORD_TOO_LONG({ source, offset, limit });
  }
}
