import { tlsSchema } from "@mqb/tls";
import * as z from "zod";

const text = z.string().min(1);
const flag = z.boolean().nullish();

export const cdcSchema = z
  .strictObject({
    url: text.meta({
      description: "The database, with a user that may replicate.",
      examples: ["mysql://replicator@db.example/shop"],
    }),
    tables: z
      .array(text)
      .nullish()
      .meta({
        description: "The tables, `t` or `schema.t` [all tables of the URL's database, also later ones].",
        examples: [["orders", "crm.customers"]],
      }),
    consume: z.enum(["capture_new", "capture_all", "snapshot"]).nullish().meta({
      default: "capture_new",
      description:
        "`capture_new`: changes, from the stored position, or from now. `capture_all`: first the rows of the tables, then the changes behind them. `snapshot`: the rows only.",
    }),
    cursor_id: text.nullish().meta({
      description: "The name under which `checkpoint_store` keeps the position. Needed, unless only rows are read.",
      examples: ["orders"],
    }),
    checkpoint_store: text.nullish().meta({
      description:
        "Where the position is kept: a path or the URL of a state store. Needed, unless only rows are read: the server keeps none.",
      examples: ["file:///var/lib/mqb/orders.json"],
      "x-mqb-store": true,
    }),
    server_id: z.int().min(1).max(4_294_967_295).nullish().meta({
      description:
        "The number under which the server knows this reader; no other one, and no replica, may have it [a random one for each connection].",
    }),
    heartbeat_ms: z.int().min(100).max(4_000_000).nullish().meta({
      default: 10_000,
      description:
        "The server says so often that it is there. One that has said nothing for three times as long is given up. The position is stored at least so often, also where only other tables change.",
    }),
    source_metadata: flag.meta({
      default: false,
      description: "Give each message its position as `mqb.src.mysql_source`, `_position`, `_ordinal`.",
    }),
    tls: tlsSchema.nullish().meta({ description: "TLS to the server." }),
    id_hash: z.enum(["fnv1a", "sha256"]).nullish().meta({
      default: "fnv1a",
      description: "The hash that ids are made with.",
    }),
    split_key_change: flag.meta({
      default: false,
      description: "Give an update that changes the primary key as a delete of the old one and an insert.",
    }),
  })
  .meta({ "x-mqb-source": { named: ["url"], apart: ["cursor_id"] } });

export type CdcConfig = z.output<typeof cdcSchema>;
/** A mysql_cdc endpoint as written. */
export type CdcOptions = z.input<typeof cdcSchema>;

export function consumeOf({ consume }: CdcConfig): "capture_new" | "capture_all" | "snapshot" {
  return consume ?? "capture_new";
}

/** Whose position it is, in metadata. */
export function sourceName({ cursor_id: id }: CdcConfig): string {
  return id ?? "snapshot";
}

export function heartbeatOf({ heartbeat_ms: ms }: CdcConfig): number {
  return ms ?? 10_000;
}
