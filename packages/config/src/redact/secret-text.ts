/**
 * A secret as the text that is to be hidden; one may be written as a number. Undefined for what has no text of its own, and
 * for a number that is only about a secret by its `name`, such as `max_cookies` or `token_ttl_seconds`.
 */
export function secretText(value: unknown, name = ""): string | undefined {
  if (typeof value === "string") return value;
  if (typeof value !== "number" && typeof value !== "bigint") return undefined;
  return MEASURE.test(name.replace(/([a-z0-9])([A-Z])/g, "$1_$2").toLowerCase()) ? undefined : String(value);
}

const MEASURE =
  /^(?:max|min|num)_|[_-](?:ms|millis|secs?|seconds|minutes|hours|days|bytes|size|length|limit|count|ttl|timeout)$/;
