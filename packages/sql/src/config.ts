import { tlsSchema } from "@mqb/tls";
import * as z from "zod";

const input = { "x-mqb-side": "input" } as const;
const output = { "x-mqb-side": "output" } as const;
const text = z.string().min(1).nullish();
const flag = z.boolean().nullish();
const millis = z.number().int().nonnegative().max(2_147_483_647).nullish();

export const sqlxSchema = z
  .strictObject({
    url: z
      .string()
      .min(1)
      .meta({
        description: "The database. The scheme picks the driver: postgres, mysql, mariadb or sqlite.",
        examples: ["postgres://app@db.example/shop", "sqlite:///var/lib/mqb/orders.db"],
      }),
    username: text.meta({ description: "Login; wins over the URL." }),
    password: z.string().nullish().meta({ secret: true, description: "Password; wins over the URL." }),
    table: z
      .string()
      .min(1)
      .meta({
        description:
          "The table, perhaps with its schema: letters, digits, underscores, one dot. With `publication` it is what `create_publication` publishes, and limits nothing.",
        examples: ["orders"],
      }),
    insert_query: text.meta({
      ...output,
      "x-mqb-template": true,
      description:
        "The statement for each message [`INSERT INTO <table> (payload) VALUES (?)`]. `${payload:field}` and `${metadata:key}` are bound as values, never spliced into the text.",
      examples: ["INSERT INTO orders (id, total) VALUES (${payload:id}, ${payload:total}) ON CONFLICT (id) DO NOTHING"],
    }),
    columns: z
      .literal("auto")
      .nullish()
      .meta({
        ...output,
        description: "`auto`: write each top-level field of the JSON payload into the column of the same name.",
      }),
    key: text.meta({
      ...output,
      description: "With `columns: auto`: the key columns, separated by commas. Makes the insert an upsert.",
      examples: ["id"],
    }),
    extra_column: text.meta({
      ...output,
      description: "With `columns: auto`: the column that takes the fields without a column, as one JSON object.",
    }),
    auto_create_table: flag.meta({
      ...output,
      default: false,
      description: "Create the table (id, payload, locked_until, created_at) when it is not there.",
    }),
    bulk_copy: flag.meta({ ...output, default: false, description: "Write with COPY. PostgreSQL only." }),
    lookup_query: text.meta({
      ...output,
      "x-mqb-template": true,
      description: "Answer each message with the first row of this query, as a JSON object. Tokens as in insert_query.",
      examples: ["SELECT name FROM customers WHERE id = ${payload:customer_id}"],
    }),
    delete_after_read: flag.meta({
      ...input,
      default: false,
      description:
        "Queue mode: delete a row when its message was acked. Else it comes again when its lease of 60 s is over.",
    }),
    cursor_column: text.meta({
      ...input,
      description:
        "Read the table in the order of this column, without changing it: whole numbers or texts that only grow.",
      examples: ["id"],
    }),
    cursor_safety: z
      .enum(["none", "snapshot", "lag"])
      .nullish()
      .meta({
        ...input,
        default: "none",
        description:
          "Cursor mode: what becomes of a row that is committed later with a smaller value than was read already. `none`: it is passed over. `snapshot` (PostgreSQL): rows are handed out once no open transaction can bring a smaller value. `lag`: once they have been there for `cursor_lag_ms`.",
      }),
    cursor_lag_ms: millis.meta({
      ...input,
      description: "With `cursor_safety: lag`: longer than any transaction that writes to the table, in milliseconds.",
      examples: [30_000],
    }),
    cursor_id: text.meta({
      ...input,
      description: "The name under which the position is kept. Without it every start reads from the beginning.",
    }),
    checkpoint_store: text.meta({
      ...input,
      "x-mqb-store": true,
      description:
        "Where the position is kept: a state store's URL, or the name of a table [a table of the same database].",
    }),
    polling_interval_ms: millis.meta({
      ...input,
      default: 100,
      description: "Pause after a read that found nothing, in milliseconds.",
    }),
    max_polling_interval_ms: millis.meta({
      ...input,
      description: "The pause doubles up to this while nothing is found [it stays as it is].",
    }),
    source_metadata: flag.meta({
      ...input,
      default: false,
      description:
        "Cursor mode: stamp `mqb.src.sqlx_table` and `mqb.src.sqlx_cursor`. With `publication`: `mqb.src.postgres_slot`, `_lsn`, `_ordinal`.",
    }),
    timestamps: z
      .enum(["text", "rfc3339"])
      .nullish()
      .meta({
        ...input,
        default: "text",
        description: "Cursor mode on PostgreSQL: how times are written.",
      }),
    tls: tlsSchema.nullish().meta({ description: "TLS to the server." }),
    max_connections: z
      .number()
      .int()
      .positive()
      .max(10_000)
      .nullish()
      .meta({ default: 10, description: "Most connections of the pool." }),
    min_connections: z
      .number()
      .int()
      .nonnegative()
      .nullish()
      .meta({ default: 0, description: "Connections that are kept open." }),
    acquire_timeout_ms: millis.meta({
      default: 30_000,
      description: "How long to wait for a connection of the pool, or for a lock of SQLite.",
    }),
    idle_timeout_ms: millis.meta({ default: 600_000, description: "Close a connection that was idle for so long." }),
    max_lifetime_ms: millis.meta({
      default: 1_800_000,
      description: "Close a connection that is older when it is given back.",
    }),
    test_before_acquire: flag.meta({ default: false, description: "Try a connection before it is used." }),
    shared: flag.meta({ default: true, description: "Share one pool with all endpoints of the same settings." }),
    select_query: text.meta({
      ...input,
      description: "Not supported: name a view as `table`.",
    }),
    publication: text.meta({
      ...input,
      description:
        "PostgreSQL: read the changes of this publication, of every table that it has, as the endpoint `postgres_cdc` does.",
    }),
    slot_name: text.meta({
      ...input,
      description: "With `publication`: the replication slot, one for each route [`mq_bridge_slot`].",
    }),
    create_publication: flag.meta({
      ...input,
      default: false,
      description: "With `publication`: make it for `table` when it is not there, and add the table when it lacks it.",
    }),
  })
  .meta({
    "x-mqb-source": {
      named: ["url", "table"],
      instead: {
        when: "publication",
        named: ["url"],
        apart: ["slot_name"],
        otherwise: { slot_name: "mq_bridge_slot" },
      },
    },
  });

/** The configuration of `sqlx`, as written. */
export type SqlxOptions = z.input<typeof sqlxSchema>;
export type SqlxConfig = z.output<typeof sqlxSchema>;

declare module "@mqb/core/plugin" {
  interface EndpointConfigs {
    readonly sqlx: SqlxOptions;
  }
}
