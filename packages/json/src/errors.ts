import { defineErrors, errorRow } from "@mqb/core/plugin";

/** Every error of reading JSON. They speak of offsets only: payloads never stand in a message. */
export const jsonErrors = defineErrors("MQB_JSON", {
  MALFORMED: errorRow<{ offset: number; expected: string }>({
    kind: "permanent",
    message: (p) => `not JSON: ${p.expected} expected at byte ${p.offset}`,
  }),
  ILL_FORMED_UTF8: errorRow<Record<string, never>>({
    kind: "permanent",
    message: () => "not JSON: the bytes are not UTF-8",
  }),
  TOO_DEEP: errorRow<{ offset: number; limit: number }>({
    kind: "permanent",
    message: (p) => `the JSON nests deeper than ${p.limit} levels at byte ${p.offset}`,
  }),
  TOO_LARGE: errorRow<{ size: number; limit: number }>({
    kind: "permanent",
    message: (p) => `the JSON has ${p.size} bytes, more than the limit of ${p.limit}`,
  }),
  DUPLICATE_KEY: errorRow<{ offset: number }>({
    kind: "permanent",
    message: (p) => `a key at byte ${p.offset} of the JSON was there before in the same object`,
  }),
  PATH: errorRow<{ path: string; reason: string }>({
    kind: "config",
    message: (p) => `"${p.path}" is no path to a field: ${p.reason}`,
    hint: "write field, a.b or items[0], with $. before it or not",
  }),
});
