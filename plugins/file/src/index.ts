import { defineEndpoint, definePlugin } from "@mqb/core/plugin";
import { formatOf, isEnvelope } from "@mqb/formats";
import { checkFile } from "./check.ts";
import { deletes, type FileConfig, type FileOptions, fileConfig, modeOf, writesParts } from "./config.ts";
import { probeFile } from "./probe.ts";
import { openPublisher } from "./sink/open.ts";
import { isStdout } from "./sink/stream-publisher.ts";
import { groupCheckpoint } from "./source/checkpoint.ts";
import { openConsumer } from "./source/open.ts";
import { isStdin } from "./source/stream-input.ts";
import { fileScheme } from "./uri.ts";

export type { FileConfig, FileOptions } from "./config.ts";
export { fileErrors } from "./errors.ts";

declare module "@mqb/core/plugin" {
  interface EndpointConfigs {
    file: FileOptions;
  }
}

export const file = defineEndpoint<FileConfig>({
  description:
    "Records in a file: reads them to its end and further, or appends them; also pipes, standard input and output.",
  schema: fileConfig,
  check: checkFile,
  probe: probeFile,
  checkpoint: groupCheckpoint,
  input: {
    capabilities: (config) => ({
      // What a subscription has not settled when the process dies, and what a pipe has given away, is not read again.
      acknowledges: modeOf(config) !== "subscribe" && !isStdin(config.path),
      // The ledger hands out again what was nacked, whatever the source is.
      takesBack: true,
      commitsInOrder: true,
      replies: false,
      stableIds: isEnvelope(formatOf(config.format)),
      replayablePosition: modeOf(config) === "consume" && !deletes(config) && !isStdin(config.path),
      positions: true,
      bounded: true,
    }),
    open: openConsumer,
  },
  output: {
    capabilities: (config) => ({
      acknowledges: true,
      replies: false,
      orderedPublish: true,
      idempotent: writesParts(config),
      keepsNothing: !writesParts(config),
      ...(writesParts(config) ? { needsPositions: "name_by: source_position" } : {}),
      // Each batch is one write: large ones cost a fifth less, and larger members compress better. A part is made of what
      // one holds.
      ...(writesParts(config) || isStdout(config.path) ? {} : { defaultBatchSize: 4096 }),
    }),
    open: openPublisher,
  },
});

export default definePlugin({
  name: "@mqb/file",
  apiVersion: 1,
  endpoints: { file },
  schemes: { file: fileScheme },
});
