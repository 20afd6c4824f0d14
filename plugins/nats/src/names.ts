/** Names that this program and the original share on a server, so that each goes on where the other has stopped. */

/** The durable consumer of a subject. */
export function durableName(stream: string, subject: string): string {
  const safe = subject.replaceAll(".", "-").replaceAll(">", "_all_").replaceAll("*", "_any_");
  return `mq-bridge-${stream}-${safe}`;
}

/** The queue group of core NATS. */
export function queueGroup(stream: string): string {
  return `mq-bridge-${stream}`;
}

/** What a stream is made for. */
export function subjectsOf(stream: string, subject: string): string[] {
  return [hasWildcard(subject) ? subject : `${stream}.>`];
}

export function hasWildcard(subject: string): boolean {
  return subject.split(".").some((token) => token === "*" || token === ">");
}

/** Whether every subject that `subject` stands for is one of `pattern`. */
export function covers(pattern: string, subject: string): boolean {
  const of = pattern.split(".");
  const tokens = subject.split(".");
  for (let i = 0; i < of.length; i++) {
    if (of[i] === ">") return i < tokens.length;
    const token = tokens[i];
    if (token === undefined || token === ">") return false;
    if (of[i] !== "*" && of[i] !== token) return false;
  }
  return of.length === tokens.length;
}

/** Whether some subject is one of both. */
export function overlap(a: string, b: string): boolean {
  const [as, bs] = [a.split("."), b.split(".")];
  for (let i = 0; i < as.length && i < bs.length; i++) {
    if (as[i] === ">" || bs[i] === ">") return true;
    if (as[i] !== "*" && bs[i] !== "*" && as[i] !== bs[i]) return false;
  }
  return as.length === bs.length;
}

/** Why a text is no subject; undefined when it is one. */
export function subjectFault(subject: string, wildcards: boolean): string | undefined {
  if (/[\u0000-\u0020\u007f]/.test(subject)) return "it holds a blank or a control character";
  const tokens = subject.split(".");
  if (tokens.includes("")) return "it has an empty word between its dots";
  const end = tokens.indexOf(">");
  if (end >= 0 && end < tokens.length - 1) return "`>` stands for the rest, and nothing may follow it";
  return wildcards || !hasWildcard(subject) ? undefined : "nothing can be sent to a subject with wildcards";
}

/** Why a text is no name of a stream; undefined when it is one. */
export function streamFault(stream: string): string | undefined {
  return /[\u0000-\u0020\u007f.*>/\\]/.test(stream)
    ? "it holds a dot, an asterisk, a slash, a `>`, a blank or a control character"
    : undefined;
}
