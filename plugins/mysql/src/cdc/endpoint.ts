import { defineEndpoint } from "@mqb/core/plugin";
import { checkCdc } from "./check.ts";
import { checkpointCdc } from "./checkpoint.ts";
import { type CdcConfig, cdcSchema } from "./config.ts";
import { openCdc, pinCdc } from "./open.ts";
import { probeCdc } from "./probe.ts";

export const mysqlCdc = defineEndpoint<CdcConfig>({
  description:
    "Changes of MySQL and MariaDB tables, read from the binary log; first their rows, where that is asked for",
  schema: cdcSchema,
  aliases: ["mysql-cdc"],
  input: {
    capabilities: () => ({
      acknowledges: true,
      commitsInOrder: true,
      replies: false,
      stableIds: true,
      replayablePosition: true,
      bounded: true,
    }),
    open: openCdc,
  },
  check: checkCdc,
  checkpoint: checkpointCdc,
  pin: pinCdc,
  probe: probeCdc,
  resume: (written, id) => (id === undefined ? written : { cursor_id: id, ...written }),
});
