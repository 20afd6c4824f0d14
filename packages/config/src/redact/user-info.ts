/** The `user:password@` of a URL, or a token before the `@`, as offsets in the text around it. */
export interface UserInfo {
  readonly scheme: string;
  /** Behind `://`. */
  readonly start: number;
  /** Undefined = a token alone. */
  readonly user: string | undefined;
  readonly password: string;
  /** Of the `@`. */
  readonly end: number;
}

/** A longer word before `://` is no scheme. */
const LONGEST_SCHEME = 32;
/** Where a user alone is a name. Elsewhere it may be a token, as for `nats:` and for `https:` to a git host. */
const USER_ALONE =
  /^(?:postgres(?:ql)?(?:-cdc)?|pgcdc|mysql|mariadb|mongodb(?:\+srv)?|rediss?|redis_streams|amqps?|rabbitmqs?|clickhouses?|sftp|ssh|abfss?)$/i;

/**
 * The user infos of all URLs in a text, in order and without overlap. A password may hold any character, also `/`, `?`,
 * `#` and `@` that are not encoded, so it goes on to the last `@` before a URL ends or another one begins in a parameter.
 * Takes time in proportion to the length of the text, whatever it holds.
 */
export function userInfos(text: string): UserInfo[] {
  const found: UserInfo[] = [];
  const scan = new Scan(text);
  for (let at = text.indexOf("://"), from = 0; at >= 0; at = text.indexOf("://", from)) {
    const scheme = schemeBefore(text, at, from);
    from = at + 3;
    const info = scheme === "" ? undefined : scan.userInfo(scheme, from);
    if (!info) continue;
    found.push(info);
    from = info.end;
  }
  return found;
}

function schemeBefore(text: string, end: number, from: number): string {
  let start = end;
  const first = Math.max(from, end - LONGEST_SCHEME);
  while (start > first && /[a-z0-9+._-]/i.test(text[start - 1]!)) start--;
  while (start < end && !/[a-z]/i.test(text[start]!)) start++;
  return text.slice(start, end);
}

/** Answers questions about a text at growing places. What lies ahead is looked for once and not from each place. */
class Scan {
  private readonly text: string;
  private readonly endOfUser = /[:@/?#]/g;
  private readonly endOfUrl = /[\s"|]/g;
  private readonly beginOfNested = /[?&][\w.-]+=[a-z][a-z0-9+._-]*:/gi;
  private urlEnd = -1;
  private nested = -1;
  /** Where a user info must have ended, and the last `@` before. */
  private last = { end: -1, at: -1 };
  /** An `@`, and the last parameter in whose value it stands. */
  private owner = { at: -1, param: -1 };

  constructor(text: string) {
    this.text = text;
  }

  userInfo(scheme: string, start: number): UserInfo | undefined {
    const { text } = this;
    const limit = this.limit(start);
    const end = this.lastAt(start, limit);
    if (end < start) return undefined;
    const userEnd = Math.min(indexOf(this.endOfUser, text, start), limit);
    const user = text.slice(start, userEnd);
    if (text[userEnd] === "@") {
      if (user === "" || USER_ALONE.test(scheme)) return undefined;
      return { scheme, start, user: undefined, password: user, end: userEnd };
    }
    if (text[userEnd] !== ":" || userEnd > end || this.isHost(userEnd)) return undefined;
    return { scheme, start, user, password: text.slice(userEnd + 1, end), end };
  }

  /** Where the URL ends, or another one begins in a parameter. */
  private limit(start: number): number {
    if (this.urlEnd < start) this.urlEnd = indexOf(this.endOfUrl, this.text, start);
    if (this.nested < start) this.nested = indexOf(this.beginOfNested, this.text, start);
    return Math.min(this.urlEnd, this.nested);
  }

  private lastAt(start: number, limit: number): number {
    if (this.last.end !== limit) {
      this.last = { end: limit, at: start + this.text.slice(start, limit).lastIndexOf("@") };
      if (this.last.at < start) this.last.at = -1;
    }
    return this.last.at;
  }

  /** `host:8080/path?mail=a@b` is a host with a port: what stands before the first `@` is a parameter. */
  private isHost(colon: number): boolean {
    const port = /^\d{1,5}[/?]/.exec(this.text.slice(colon + 1, colon + 7));
    return port !== null && this.paramOfNextAt(colon) > colon + port[0].length;
  }

  private paramOfNextAt(from: number): number {
    if (this.owner.at < from) {
      const at = this.text.indexOf("@", from);
      const ampersand = this.text.slice(from, at).lastIndexOf("&");
      const begin = ampersand < 0 ? from : from + ampersand;
      const params = [...this.text.slice(begin, at).matchAll(/[?&][\w.-]+=/g)];
      this.owner = { at, param: begin + (params.at(-1)?.index ?? -1 - begin) };
    }
    return this.owner.param;
  }
}

function indexOf(pattern: RegExp, text: string, from: number): number {
  pattern.lastIndex = from;
  return pattern.exec(text)?.index ?? text.length;
}
