import { batchOf, type Consumer, type Delivery, Message, type OpenContext } from "@mqb/core/plugin";
import { errors } from "../errors.ts";
import { closing } from "./closing.ts";
import type { EndpointHooks, ReceivedItem } from "./endpoint.ts";
import { isMessage, nameOf } from "./hooks.ts";

type Hooks = EndpointHooks & Required<Pick<EndpointHooks, "receiveBatch">>;

export function hookConsumer(hooks: Hooks, { path }: Pick<OpenContext, "path">): Consumer {
  const closed = closing(hooks);
  return {
    async receive(max, signal) {
      // A close ends a wait that heeds its signal, too.
      const items = await hooks.receiveBatch(max, AbortSignal.any([signal, closed.signal]));
      const messages = Array.from(listOf(items, path), (item) => messageOf(item, path));
      return deliveryOf(messages, hooks);
    },
    close: closed.close,
    status: () => ({ healthy: true, target: path }),
  };
}

function deliveryOf(messages: readonly Message[], hooks: Hooks): Delivery {
  return {
    batch: batchOf(messages),
    async commit(dispositions) {
      if (messages.length === 0) return;
      const told = messages.map((_, i) => (dispositions?.[i]?.type === "nack" ? ("nack" as const) : ("ack" as const)));
      await hooks.commit?.(told, messages);
    },
  };
}

/** A text or bytes can be gone through as well, but one of them is a message and not a list of them. */
function listOf(items: unknown, path: string): Iterable<ReceivedItem> {
  if (items === null || items === undefined) return [];
  if (typeof items === "object" && Symbol.iterator in items && !(items instanceof Uint8Array)) {
    return items as Iterable<ReceivedItem>;
  }
  throw errors.HOOK_RESULT({ path, hook: "receiveBatch", got: nameOf(items), wanted: "a list of messages" });
}

function messageOf(item: ReceivedItem, path: string): Message {
  if (isMessage(item)) return item;
  if (typeof item === "string" || item instanceof Uint8Array) return new Message(item);
  const json = JSON.stringify(item) as string | undefined;
  if (json !== undefined) return new Message(json);
  throw errors.HOOK_RESULT({ path, hook: "receiveBatch", got: nameOf(item), wanted: "what can be written as JSON" });
}
