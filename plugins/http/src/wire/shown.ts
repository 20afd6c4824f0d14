/** A URL, or what should have been one, without whatever may be credentials: all before the last `@`. */
export function maskLogin(url: string): string {
  return url.replace(/^((?:[a-z][a-z0-9+.-]*:)?\/\/)?.*@/is, "$1***@");
}
