/** What has a meaning of its own in a URI, and what a shell or a log would not show. */
const IN_VALUE = /[%&#|$\u0000-\u001f\u007f]/g;
const IN_NAME = /[%&#|$=?\u0000-\u001f\u007f]/g;
/** Of the body only what the grammar itself would take for something else: the scheme reads the rest as it is written. */
const IN_BODY = /[?|$\u0000-\u001f\u007f]/g;

export type Param = readonly [name: string, value: string];

export function encodeBody(body: string): string {
  return body.replace(IN_BODY, encodeURIComponent);
}

/** The whole query of a middleware that takes a text. */
export function encodeText(text: string): string {
  return text.replace(IN_VALUE, encodeURIComponent);
}

/** `?a=1&b=2`, or nothing. */
export function encodeQuery(params: readonly Param[]): string {
  if (params.length === 0) return "";
  return `?${params.map(([name, value]) => `${name.replace(IN_NAME, encodeURIComponent)}=${encodeText(value)}`).join("&")}`;
}
