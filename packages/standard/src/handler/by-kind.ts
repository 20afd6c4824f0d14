import type { Handler, Message } from "@mqb/core/plugin";
import { errors } from "../errors.ts";

export interface KindHandlerOptions {
  /** Takes messages of kinds that have no handler, and those without a kind. */
  readonly fallback?: Handler;
  /** Without a fallback: `fail` (a permanent error, so that nothing is lost silently) [default], `pass` on, or `drop`. */
  readonly onUnknownKind?: "fail" | "pass" | "drop";
}

/** A handler that picks another one by the metadata `kind` of each message. */
export function handlerByKind(handlers: Readonly<Record<string, Handler>>, options: KindHandlerOptions = {}): Handler {
  const byKind = new Map(Object.entries(handlers));
  const unknown = options.onUnknownKind ?? "fail";
  return (message: Message) => {
    const kind = message.metadata.get("kind");
    const handler = (kind === undefined ? undefined : byKind.get(kind)) ?? options.fallback;
    if (handler) return handler(message);
    if (unknown === "pass") return message;
    if (unknown === "drop") return undefined;
    throw errors.UNKNOWN_KIND({ kind, known: [...byKind.keys()] });
  };
}
