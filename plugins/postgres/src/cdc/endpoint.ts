import { defineEndpoint } from "@mqb/core/plugin";
import { CHANGES, slotFor } from "@mqb/sql";
import { errors } from "../errors.ts";
import { checkCdc } from "./check.ts";
import { checkpointCdc } from "./checkpoint.ts";
import { type CdcConfig, cdcSchema } from "./config.ts";
import { openCdc, pinCdc } from "./opening/open.ts";
import { probeCdc } from "./probe.ts";

export const postgresCdc = defineEndpoint<CdcConfig>({
  description: "Changes of PostgreSQL tables, read from a replication slot; first their rows, where that is asked for",
  schema: cdcSchema,
  aliases: ["postgres-cdc"],
  input: {
    capabilities: ({ temporary_slot: temporary }) => ({
      ...CHANGES,
      ...(temporary ? { forgetsWith: "temporary_slot" } : {}),
    }),
    open: openCdc,
  },
  check: checkCdc,
  checkpoint: checkpointCdc,
  pin: pinCdc,
  probe: probeCdc,
  resume(written, id) {
    if (written["temporary_slot"] === true) throw errors.RESUME({ reason: "temporary_slot: true leaves no position" });
    if (id === undefined) return written;
    return { slot_name: slotFor(id), cursor_id: id, ...written };
  },
});
