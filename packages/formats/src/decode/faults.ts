import { isRecordFault } from "@mqb/kernel";
import { formatErrors } from "../errors.ts";

/** The coded error of a fault that a reader has met; other errors as they are. */
export function readingError(error: unknown, source: string): unknown {
  if (!isRecordFault(error)) return error;
  const { offset, line, limit = 0, quoted } = error;
  const cause = { cause: error };
  switch (error.kind) {
    case "utf16":
      return formatErrors.UTF16({ source }, cause);
    case "unterminated_quote":
      return formatErrors.UNTERMINATED_QUOTE({ source, offset, line }, cause);
    case "field_too_long":
      return formatErrors.FIELD_TOO_LONG({ source, offset, line, limit, quoted }, cause);
    case "record_too_long":
      return formatErrors.RECORD_TOO_LONG({ source, offset, limit }, cause);
  }
}
