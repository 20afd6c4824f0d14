/** How a key is appended to an error's path: `.city`, or `['price.usd']` where a dot or bracket would mislead. */
export function keySegment(key: string): string {
  return key === "" || /[.[\]'"]/.test(key) ? `['${key.replaceAll("'", "\\'")}']` : `.${key}`;
}
