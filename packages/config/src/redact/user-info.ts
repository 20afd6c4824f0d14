import { ahead, lastAt, paramAround } from "./ahead.ts";

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
  const userInfo = userInfoReader(text);
  for (let at = text.indexOf("://"), from = 0; at >= 0; at = text.indexOf("://", from)) {
    const scheme = schemeBefore(text, at, from);
    from = at + 3;
    const info = scheme === "" ? undefined : userInfo(scheme, from);
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

function userInfoReader(text: string): (scheme: string, start: number) => UserInfo | undefined {
  const endOfUser = ahead(text, /[:@/?#]/);
  const endOfUrl = ahead(text, /[\s"|]/);
  const beginOfNested = ahead(text, /[?&][\w.-]+=[a-z][a-z0-9+._-]*:/i);
  const nextAt = ahead(text, /@/);
  const last = lastAt(text);
  const param = paramAround(text);
  /** `host:8080/path?mail=a@b` is a host with a port: what stands before the first `@` is a parameter. */
  const isHost = (colon: number): boolean => {
    const port = /^\d{1,5}[/?]/.exec(text.slice(colon + 1, colon + 7));
    return port !== null && param(colon, nextAt(colon)) > colon + port[0].length;
  };
  return (scheme, start) => {
    const limit = Math.min(endOfUrl(start), beginOfNested(start));
    const end = last(start, limit);
    const userEnd = endOfUser(start);
    if (end < 0 || userEnd > end) return undefined;
    const user = text.slice(start, userEnd);
    if (text[userEnd] === "@") {
      if (user === "" || USER_ALONE.test(scheme)) return undefined;
      return { scheme, start, user: undefined, password: user, end: userEnd };
    }
    if (text[userEnd] !== ":" || isHost(userEnd)) return undefined;
    return { scheme, start, user, password: text.slice(userEnd + 1, end), end };
  };
}
