import * as z from "zod";
import { field, integer, milliseconds } from "../fields.ts";
import { parseAddress } from "./address.ts";
import { DEFAULT_CAPACITY } from "./capacity.ts";

const name = z.string().nullish();

export const memorySchema = z
  .strictObject({
    topic: name.meta({
      description:
        "Name of the topic; routes of one bridge that name the same topic meet there. `ipc://NAME`, `ipc:///PATH`, `unix:///PATH` and, on Windows, `pipe://NAME` lead to other processes. Needed, unless `url` is given.",
      examples: ["orders", "memory://orders", "ipc:///run/app/orders.sock"],
    }),
    url: name.meta({ description: "Another spelling of `topic`." }),
    capacity: integer(1).nullish().meta({
      default: DEFAULT_CAPACITY,
      description:
        "Slots of the topic; a slot holds one batch. A full topic makes the sender wait. The largest one that a side of the topic gives counts. Between processes: batches that the input reads ahead, at most.",
    }),
    subscribe_mode: field(z.boolean(), false, {
      description: "Every input of the topic gets every message, instead of sharing them.",
    }),
    request_reply: field(z.boolean(), false, {
      description: "Output: each message waits for its answer, which is paired by `correlation_id`.",
    }),
    request_timeout_ms: field(milliseconds(1), 30_000, { description: "Output: longest wait for an answer." }),
    enable_nack: z.boolean().nullish().meta({
      description:
        "Input: messages that fail, or are not settled when the input closes, go back to the topic. Without it they are lost. [`true` between processes, else `false`]",
    }),
  })
  .meta({ "x-mqb-source": { named: ["topic"], alike: ["subscribe_mode"] } })
  .transform(({ topic, url, capacity, enable_nack: nack, ...rest }, context) => {
    const refuse = (at: string, message: string): never => {
      context.addIssue({ code: "custom", path: [at], message });
      return z.NEVER;
    };
    const at = topic == null && url != null ? "url" : "topic";
    if (topic != null && url != null) return refuse("url", "`url` is another spelling of `topic`: give one of them");
    const written = topic ?? url;
    if (written == null) return refuse("topic", "a memory endpoint needs a `topic`");
    const address = parseAddress(written);
    if ("refused" in address) return refuse(at, address.refused);
    return {
      ...rest,
      topic: address.topic,
      ...(nack == null ? {} : { enable_nack: nack }),
      ...(capacity == null ? {} : { capacity }),
      ...(address.ipc ? { ipc: address.ipc } : {}),
    };
  });

/** A memory endpoint as written. */
export type MemoryConfig = z.input<typeof memorySchema>;
export type MemorySettings = z.output<typeof memorySchema>;
