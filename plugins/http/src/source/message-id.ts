import type { IncomingHttpHeaders } from "node:http";
import { freshId, hashId, idFromText, type MessageId } from "@mqb/core/plugin";
import type { SourceSettings } from "./settings.ts";

const UUID = /^[0-9a-f]{8}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{4}-?[0-9a-f]{12}$/i;
const NUMBER = /^(0x[0-9a-f]{1,32}|[0-9]{1,38})$/i;

/** The id that a request carries: as such, or as a key that is always the same for the same work. Else a fresh one. */
export function messageId(
  headers: IncomingHttpHeaders,
  { messageIdHeader, idempotencyHeader }: Pick<SourceSettings, "messageIdHeader" | "idempotencyHeader">,
): MessageId {
  const given = headers[messageIdHeader];
  if (typeof given === "string" && (UUID.test(given) || NUMBER.test(given))) return idFromText(given);
  const key = idempotencyHeader === undefined ? undefined : headers[idempotencyHeader];
  if (typeof key !== "string" || key === "") return freshId();
  return UUID.test(key) ? idFromText(key) : hashId(key);
}
