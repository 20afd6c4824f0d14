import { ALGORITHM } from "./blocks.ts";
import type { Shape } from "./shape.ts";

/** A middleware that has no package yet. */
export interface MiddlewareStub {
  readonly from: string;
  readonly sides: "in" | "out" | "both";
  readonly fields?: Shape;
  readonly type?: string;
  /** What it says of itself under `x-mqb-…`. */
  readonly facts?: Readonly<Record<string, unknown>>;
}

const ON_ERROR = "on_error:fail|drop";

export const MIDDLEWARES: Readonly<Record<string, MiddlewareStub>> = {
  id: { from: "@mqb/standard", sides: "in", type: "text", facts: { sets: ["mqb.id"], template: true } },
  weak_join: {
    from: "@mqb/standard",
    sides: "in",
    fields:
      "group_by! expected_count!:int timeout_ms!:int branch_by required:[text] on_timeout:fire|discard ack:on_join|on_receive",
  },
  buffer: {
    from: "@mqb/standard",
    sides: "both",
    fields: "max_messages!:int max_delay_ms!:int",
    facts: {
      "one-worker": "batches may reach the destination in another order than they were read in",
      order: [
        {
          side: "output",
          others: ["pack"],
          handles: "before",
          otherwise: "each packed message holds what one send brings",
        },
      ],
    },
  },
  limiter: { from: "@mqb/standard", sides: "both", fields: "messages_per_second!:number" },
  timeout: {
    from: "@mqb/standard",
    sides: "out",
    fields: "timeout_ms!:int",
    facts: {
      order: [
        { side: "output", others: ["retry"], handles: "after", otherwise: "all attempts together get the time of one" },
      ],
    },
  },
  pack: {
    from: "@mqb/standard",
    sides: "out",
    fields: "format:mqb|benthos_binary max_messages:int max_bytes:int drop_message_id:flag",
  },
  unpack: { from: "@mqb/standard", sides: "in", fields: `format:mqb|benthos_binary max_messages:int ${ON_ERROR}` },
  random_panic: {
    from: "@mqb/standard",
    sides: "both",
    fields: "mode:panic|disconnect|timeout|json_format_error|nack trigger_on_message:int enabled:flag",
  },
  cookie_jar: {
    from: "@mqb/http",
    sides: "both",
    fields: `shared_scope cookie_metadata_key set_cookie_metadata_key capture_metadata_keys:[text] export_metadata_prefix
      inject_metadata:{text} max_cookies:int`,
  },
  deduplication: {
    from: "@mqb/dedup",
    sides: "in",
    fields: "store sled_path ttl_seconds!:int key@template replay_response:flag",
    facts: {
      order: [{ side: "input", others: ["aggregate"], handles: "before", otherwise: "duplicates are counted" }],
    },
  },
  lookup: {
    from: "@mqb/lookup",
    sides: "both",
    fields: "from:out metadata:{text}@template payload@template into entries:[lookup_entry] concurrency:int",
  },
  aggregate: {
    from: "@mqb/aggregate",
    sides: "both",
    fields: `store consistency:shared|single_writer max_keys:int key@template expression fields:{text} output into
      emit:updated|previous entries:[aggregate_entry] time on_error:drop|fail|skip read_only:flag`,
  },
  encryption: {
    from: "@mqb/encryption",
    sides: "both",
    fields: `cipher:xchacha20poly1305|aes256gcm key_id key!:secret@template decrypt_keys:{secret}@template authenticate_metadata:[text] ${ON_ERROR}`,
    facts: {
      defeats: { compression: "ciphertext does not compress" },
      order: [
        {
          side: "output",
          others: ["compression"],
          handles: "after",
          otherwise: "ciphertext does not compress",
          level: "note",
        },
      ],
    },
  },
  compression: {
    from: "@mqb/compression",
    sides: "both",
    fields: `${ALGORITHM} max_decompressed_bytes:int ${ON_ERROR}`,
  },
  otel: { from: "@mqb/otel", sides: "both", fields: "" },
};
