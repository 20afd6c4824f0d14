import { ahead, lastAt, paramAround } from "./ahead.ts";

/** A part of a text, as offsets. */
export interface Range {
  readonly from: number;
  readonly to: number;
}

/**
 * The passwords of the URLs in a text that is a URI as a whole: everything between the user's colon and the last `@` that
 * may belong to it, since a password may hold any character.
 */
export function userPasswords(text: string): Range[] {
  const found: Range[] = [];
  const nested = ahead(text, /[?&][\w.-]+=[a-z][a-z0-9+._-]{0,31}:/i);
  const nextPipe = ahead(text, /\|/);
  const nextAt = ahead(text, /@/);
  const last = lastAt(text);
  const param = paramAround(text);
  for (const { 0: start, 1: user = "", 2: colon, index } of text.matchAll(/[a-z0-9+._-]:\/\/([^:@/?#|]*)(:?)/gi)) {
    const from = index + start.length;
    // What stands inside of a password is a part of it.
    if (from <= (found.at(-1)?.to ?? -1)) continue;
    const end = nested(from);
    const pipe = nextPipe(from);
    // An `@` behind the first `|` belongs to a middleware, unless nothing before it looks like a host.
    const isHost = /^\d{1,5}(?:[/?|]|$)/.test(text.slice(from, Math.min(end, from + 6)));
    const to = last(from, pipe < end && (nextAt(from) < pipe || isHost) ? pipe : end);
    if (to < 0) continue;
    if (colon !== "") {
      if (!isHost || param(from, to) < 0) found.push({ from, to });
    } else if (text[from] === "@" && user !== "") found.push({ from: from - user.length, to: from });
  }
  return found;
}

/** Those of them with a character that ends a URL inside a longer text. */
export function oddPasswords(uri: string): Range[] {
  return userPasswords(uri).filter(({ from, to }) => /[|\s"]/.test(uri.slice(from, to)));
}

/**
 * Whether the user info of a URL cannot be told from the rest: a password with a `/`, `?` or `#` in it makes the host and
 * the path begin elsewhere than was meant.
 */
export function isAmbiguous(url: string): boolean {
  const text = url.replace(/\$\{[^{}]*\}/g, "x");
  const [, authority, rest = ""] = /^[a-z][a-z0-9+._-]{0,31}:\/\/([^/?#|]*)([^|]*)/i.exec(text) ?? [];
  if (authority === undefined) return false;
  const colon = authority.indexOf(":");
  if (colon >= 0 && authority.lastIndexOf("@") > colon) return /^[^#]*#[^&]*@|^[^?=]*\?[^=&]*@/.test(rest);
  return authority.includes(":") && !authority.split(",").every(isHost) && text.includes("@");
}

function isHost(text: string): boolean {
  return /^(?:\[[^\]]*\]|[^:]*)(?::(?:\d{1,5}|\*))?$/.test(text);
}
