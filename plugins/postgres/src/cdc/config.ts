import { tlsSchema } from "@mqb/tls";
import * as z from "zod";

const text = z.string().min(1);
const flag = z.boolean().nullish();
const SLOT = /^[a-z0-9_]{1,63}$/;

export const cdcSchema = z
  .strictObject({
    url: text.meta({
      description: "The database, with a user that may replicate.",
      examples: ["postgres://replicator@db.example/shop"],
    }),
    publication: z
      .string()
      .regex(/^[A-Za-z0-9_]{1,63}$/, "is no name of a publication: letters, digits and underscores")
      .meta({
        description: "The publication: which tables, and which of their changes. Its case counts.",
        examples: ["orders_pub"],
      }),
    consume: z.enum(["capture_new", "capture_all", "snapshot"]).nullish().meta({
      default: "capture_new",
      description:
        "`capture_new`: changes, from where the slot stands. `capture_all`: first the rows of the published tables, then the changes behind them. `snapshot`: the rows only.",
    }),
    source_metadata: flag.meta({
      default: false,
      description: "Give each message its position as `mqb.src.postgres_slot`, `_lsn`, `_ordinal`.",
    }),
    slot_name: z
      .string()
      .regex(SLOT, "is no name of a replication slot: at most 63 lower-case letters, digits and underscores")
      .nullish()
      .meta({
        default: "mq_bridge_slot",
        description: "The replication slot, which keeps the position. Each route needs one of its own.",
      }),
    create_slot: flag.meta({ default: true, description: "Make the slot when it is not there." }),
    create_publication: flag.meta({
      default: false,
      description: "Make the publication when it is not there, and add the tables that it lacks.",
    }),
    publication_tables: z
      .array(text)
      .nullish()
      .meta({
        description:
          "With `create_publication`: its tables, `t` or `schema.t` [all tables]. None is ever taken out of it.",
        examples: [["orders", "shop.customers"]],
      }),
    temporary_slot: flag.meta({
      default: false,
      description: "Drop the slot when the route stops. What changes while it does not run is missed.",
    }),
    cursor_id: text.nullish().meta({
      description: "The name under which `checkpoint_store` keeps the position [the slot's name].",
    }),
    checkpoint_store: text.nullish().meta({
      description:
        "A second place for the position, that outlives a server which forgets the last acks of its slot; and how far `capture_all` has read the tables. A path or the URL of a state store.",
      examples: ["file:///var/lib/mqb/orders.json"],
      "x-mqb-store": true,
    }),
    status_interval_ms: z.int().min(1).max(2_147_483_647).nullish().meta({
      default: 10_000,
      description:
        "The server hears of the position with each ack, and at least so often. One that has said nothing for three times as long is given up, though not within a second; where this is not set, not before its `wal_sender_timeout` (60 s where that is 0), since it may be silent while it decodes.",
    }),
    tls: tlsSchema.nullish().meta({ description: "TLS to the server." }),
    id_hash: z.enum(["fnv1a", "sha256"]).nullish().meta({
      default: "fnv1a",
      description: "The hash that ids are made with.",
    }),
    split_key_change: flag.meta({
      default: false,
      description: "Give an update that changes the key as a delete of the old one and an insert.",
    }),
  })
  .meta({ "x-mqb-source": { named: ["url", "publication"], apart: ["slot_name"] } });

export type CdcConfig = z.output<typeof cdcSchema>;
/** A postgres_cdc endpoint as written. */
export type CdcOptions = z.input<typeof cdcSchema>;

export function slotOf({ slot_name: slot }: CdcConfig): string {
  return slot ?? "mq_bridge_slot";
}

export function consumeOf({ consume }: CdcConfig): "capture_new" | "capture_all" | "snapshot" {
  return consume ?? "capture_new";
}
