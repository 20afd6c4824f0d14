import { tlsSchema } from "@mqb/tls";
import * as z from "zod";

/** The longest time that a timer of JavaScript takes. */
const MAX_TIMER_MS = 2 ** 31 - 1;
/** No message of mqb is larger: a payload is one buffer, and core counts bytes of batches in doubles anyway. */
const MAX_MESSAGE_BYTES = 2 ** 30;

export const DEFAULT_ID_HEADER = "message-id";
const DEFAULT_QUEUE = 100;
const DEFAULT_BACKLOG = 4096;
const DEFAULT_MESSAGE_BYTES = 64 * 1024 * 1024;
const DEFAULT_PING_MS = 30_000;

function integer(min: number, max: number, fallback: number, meta: Record<string, unknown>) {
  const error = `expected an integer from ${min} to ${max}`;
  return z
    .int({ error })
    .min(min, { error })
    .max(max, { error })
    .nullish()
    .meta({ default: fallback, ...meta })
    .transform((value) => value ?? fallback);
}

export const websocketSchema = z.strictObject({
  url: z
    .string()
    .min(1)
    .meta({
      description:
        "Input: the address to listen on, `host:port`. Output: the server, `ws://…` or `wss://…`, also with a user and a password.",
      examples: ["0.0.0.0:9000", "wss://hub.example/feed"],
      "x-mqb-listens": { side: "input", apart: ["path"] },
    }),
  path: z
    .string()
    .nullish()
    .meta({
      "x-mqb-side": "input",
      description:
        "Input: the path that clients have to ask for, exactly; any path when it is left out. Routes with different paths share an address.",
      examples: ["/feed"],
    }),
  message_id_header: z
    .string()
    .min(1)
    .nullish()
    .meta({
      default: DEFAULT_ID_HEADER,
      "x-mqb-side": "input",
      description:
        "Input: header of a client's handshake that gives the id of its first message; those of the following ones are made from it and their number.",
    })
    .transform((value) => (value ?? DEFAULT_ID_HEADER).toLowerCase()),
  routed_queue_capacity: integer(1, 1_000_000, DEFAULT_QUEUE, {
    "x-mqb-side": "input",
    description: "Input: so many received messages wait for the route; then clients are not read from.",
  }),
  backlog: integer(1, 65_535, DEFAULT_BACKLOG, {
    "x-mqb-side": "input",
    description: "Input: connections that the system holds until they are taken.",
    advanced: true,
  }),
  execution_mode: z
    .enum(["auto", "direct_only", "routed"])
    .nullish()
    .meta({
      default: "auto",
      "x-mqb-side": "input",
      description:
        "Input: there is one way through the route, which answers as fast as mq-bridge's direct one: `auto` and `routed` are the same. `direct_only` gives each message a `correlation_id`, and warns when the output does not answer.",
    })
    .transform((value) => value ?? "auto"),
  tls: tlsSchema.nullish().meta({
    description:
      "TLS. Input: a certificate and its key, with `required: true` or a `wss://` address. Output: for `wss://`, which is TLS without this block too.",
  }),
  basic_auth: z
    .array(z.string().meta({ secret: true }), { error: "expected a list of two texts: [user, password]" })
    .length(2, { error: "expected a list of two texts: [user, password]" })
    .nullish()
    .meta({
      "x-mqb-side": "input",
      description: "Input: the user and password that clients have to give in their handshake.",
      examples: [["app", "${WS_PASSWORD}"]],
    }),
  max_connections: z
    .int({ error: "expected an integer of at least 1" })
    .min(1, { error: "expected an integer of at least 1" })
    .nullish()
    .meta({
      "x-mqb-side": "input",
      description: "Input: clients at once; further ones are refused with 503. No limit when it is left out.",
    }),
  max_message_bytes: integer(1, MAX_MESSAGE_BYTES, DEFAULT_MESSAGE_BYTES, {
    "x-mqb-side": "input",
    description: "Input: a client that sends a larger message is closed with code 1009.",
  }),
  ping_interval_ms: integer(0, MAX_TIMER_MS, DEFAULT_PING_MS, {
    description:
      "A peer is pinged so often, and its connection ended when nothing at all came from it in between; 0 = never.",
    advanced: true,
  }),
});

/** A websocket endpoint as written. */
export type WebSocketConfig = z.input<typeof websocketSchema>;
export type WebSocketSettings = z.output<typeof websocketSchema>;

declare module "@mqb/core/plugin" {
  interface EndpointConfigs {
    readonly websocket: WebSocketConfig;
  }
}
