import { defineEndpoint, type InputCapabilities, type OutputCapabilities } from "@mqb/core/plugin";
import { CHANGES, changesOf, slotFor } from "./changes.ts";
import { check } from "./check.ts";
import { checkpoint } from "./checkpoint/checkpoint.ts";
import { type SqlxConfig, sqlxSchema } from "./config.ts";
import { errors } from "./errors.ts";
import { keyNames } from "./key.ts";
import { openInput } from "./open-input.ts";
import { openOutput } from "./open-output.ts";
import { probe } from "./probe.ts";
import { tailOf } from "./statement/insert.ts";
import { parseStatement } from "./statement/parse.ts";

/** Tables of SQL databases. One definition for all of them: the URL's scheme picks the driver. */
export const sqlx = defineEndpoint<SqlxConfig>({
  description:
    "Tables of PostgreSQL, MySQL, MariaDB and SQLite: as queues, read in the order of a column, written row by row or looked up",
  schema: sqlxSchema,
  shared: true,
  input: {
    capabilities: inputCapabilities,
    async open(config, context) {
      const changes = changesOf(config, context.service);
      return changes ? changes.capture.open(changes.settings, context) : openInput(config, context);
    },
  },
  output: { capabilities: outputCapabilities, open: openOutput },
  check,
  checkpoint(config, context) {
    const changes = changesOf(config, context.service);
    return changes ? changes.capture.checkpoint(changes.settings, context) : checkpoint(config, context);
  },
  async pin(config, context) {
    const changes = changesOf(config, context.service);
    await changes?.capture.pin(changes.settings, context);
  },
  async probe(config, context) {
    const changes = context.side === "input" ? changesOf(config, context.service) : undefined;
    return changes ? changes.capture.probe(changes.settings, context) : probe(config, context);
  },
  resume(written, id) {
    if (id === undefined) {
      const { cursor_id: _, checkpoint_store: __, ...rest } = written;
      return rest;
    }
    // A slot keeps its position, each under its own name.
    if (written["publication"] != null) return { slot_name: slotFor(id), ...written };
    if (written["cursor_column"] == null) throw errors.RESUME({ reason: "a queue has no position; set cursor_column" });
    return { cursor_id: id, ...written };
  },
});

function inputCapabilities(config: SqlxConfig): InputCapabilities {
  if (config.publication != null) return CHANGES;
  const isCursor = config.cursor_column != null;
  return {
    acknowledges: true,
    commitsInOrder: isCursor,
    replies: false,
    stableIds: false,
    replayablePosition: isCursor,
    bounded: true,
    opensHarmlessly: true,
  };
}

function outputCapabilities(config: SqlxConfig): OutputCapabilities {
  const answers = config.lookup_query != null;
  return {
    acknowledges: true,
    replies: answers,
    orderedPublish: false,
    idempotent: !answers && (isUpsert(config) || doesNothingTwice(config.insert_query)),
    keepsNothing: true,
    ...(answers ? { answersBatches: true } : {}),
  };
}

function isUpsert({ columns, key }: SqlxConfig): boolean {
  return columns === "auto" && keyNames(key).length > 0;
}

function doesNothingTwice(insert: string | null | undefined): boolean {
  if (insert == null) return false;
  try {
    const tail = tailOf(parseStatement(insert, "insert_query"));
    return /\bon\s+conflict\b[\s\S]*\bdo\s+nothing\b/i.test(tail);
  } catch {
    return false; // the check says what is wrong with it
  }
}
