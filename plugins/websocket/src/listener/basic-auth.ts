import { createHash, timingSafeEqual } from "node:crypto";

/** What an `authorization` header is worth; `malformed` is a header that no client with a password sends. */
export type Verdict = "welcome" | "unknown" | "malformed";

/** Compares in a time that does not depend on what was given. Without a login everybody is welcome. */
export class BasicAuth {
  private readonly expected: Buffer | undefined;

  constructor(login: readonly string[] | null | undefined) {
    this.expected = login ? digest(Buffer.from(login.join(":"))) : undefined;
  }

  judge(header: string | undefined): Verdict {
    if (!this.expected) return "welcome";
    if (header === undefined) return "unknown";
    const [, encoded] = /^basic +([a-z0-9+/]+={0,2})$/i.exec(header.trim()) ?? [];
    if (encoded === undefined) return /^basic\b/i.test(header.trim()) ? "malformed" : "unknown";
    return timingSafeEqual(digest(Buffer.from(encoded, "base64")), this.expected) ? "welcome" : "unknown";
  }
}

function digest(bytes: Buffer): Buffer {
  return createHash("sha256").update(bytes).digest();
}
