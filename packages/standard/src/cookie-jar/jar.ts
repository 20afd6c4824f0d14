import type { Clock } from "@mqb/core/plugin";

const COOKIE = "cookie.";
const VALUE = "value.";
/** A name or value with one of these could become another header. */
const CONTROL = /[\u0000-\u001f\u007f]/;

interface Entry {
  readonly value: string;
  /** Unix milliseconds. */
  readonly expiresAt: number;
}

/** The cookies and values of one session, by `cookie.<name>` and `value.<key>`: neither can pose as the other. */
export class Jar {
  private readonly clock: Clock;
  /** What was set longest ago comes first. */
  private readonly entries = new Map<string, Entry>();

  constructor(clock: Clock) {
    this.clock = clock;
  }

  /** Takes a `set-cookie`, one cookie in each line. `Max-Age` of 0 or less deletes; `Expires` is not read. */
  setCookies(lines: string, most: number): void {
    for (const line of lines.split("\n")) {
      const [pair = "", ...attributes] = line.split(";");
      const cookie = parsePair(pair);
      if (cookie) this.set(COOKIE + cookie.name, cookie.value, maxAge(attributes), most);
    }
  }

  /** Takes the cookies that a message was sent with. */
  takeCookies(header: string, most: number): void {
    for (const pair of header.split(";")) {
      const cookie = parsePair(pair);
      if (cookie) this.set(COOKIE + cookie.name, cookie.value, undefined, most);
    }
  }

  keep(key: string, value: string, most: number): void {
    this.set(VALUE + key, value, undefined, most);
  }

  /** `a=1; b=2`; undefined when there is no cookie. */
  header(): string | undefined {
    const cookies: string[] = [];
    for (const [name, value] of this.all()) {
      if (name.startsWith(COOKIE)) cookies.push(`${name.slice(COOKIE.length)}=${value}`);
    }
    return cookies.length > 0 ? cookies.join("; ") : undefined;
  }

  /** By full name, or a value or cookie of that name. */
  find(name: string): string | undefined {
    const now = this.clock.now();
    for (const full of [name, VALUE + name, COOKIE + name]) {
      const entry = this.entries.get(full);
      if (entry && entry.expiresAt > now) return entry.value;
    }
    return undefined;
  }

  *all(): Generator<readonly [name: string, value: string]> {
    const now = this.clock.now();
    for (const [name, { value, expiresAt }] of this.entries) {
      if (expiresAt > now) yield [name, value];
      else this.entries.delete(name);
    }
  }

  private set(name: string, value: string, seconds: number | undefined, most: number): void {
    this.entries.delete(name);
    if (seconds !== undefined && seconds <= 0) return;
    const expiresAt = seconds === undefined ? Number.POSITIVE_INFINITY : this.clock.now() + seconds * 1000;
    this.entries.set(name, { value, expiresAt });
    for (const oldest of this.entries.keys()) {
      if (this.entries.size <= most) break;
      this.entries.delete(oldest);
    }
  }
}

function parsePair(text: string): { readonly name: string; readonly value: string } | undefined {
  const equals = text.indexOf("=");
  if (equals < 0) return undefined;
  const name = text.slice(0, equals).trim();
  const value = text.slice(equals + 1).trim();
  return name === "" || CONTROL.test(name) || CONTROL.test(value) ? undefined : { name, value };
}

/** Seconds; undefined when it is not given or no number. The last one counts. */
function maxAge(attributes: readonly string[]): number | undefined {
  let seconds: number | undefined;
  for (const attribute of attributes) {
    const given = /^\s*max-age\s*=\s*(-?\d+)\s*$/i.exec(attribute);
    if (given) seconds = Number(given[1]);
  }
  return seconds;
}
