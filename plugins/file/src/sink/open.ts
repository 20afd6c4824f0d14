import type { OpenContext, Publisher } from "@mqb/core/plugin";
import { type FileConfig, pathOf, writesParts } from "../config.ts";
import { fileErrors } from "../errors.ts";
import { statIfThere } from "../fs-calls.ts";
import { openAppendPublisher } from "./append-publisher.ts";
import { openPartPublisher } from "./part-publisher.ts";
import { isStdout, openStreamPublisher } from "./stream-publisher.ts";

export async function openPublisher(config: FileConfig, context: OpenContext): Promise<Publisher> {
  const path = pathOf(config, context);
  if (writesParts(config)) return openPartPublisher(config, path, context);
  if (isStdout(path)) return openStreamPublisher(config, path, context);
  const stats = await statIfThere(path).catch(() => undefined);
  if (stats?.isDirectory()) throw fileErrors.IS_DIRECTORY({ path: config.path });
  if (stats && !stats.isFile()) return openStreamPublisher(config, path, context);
  return openAppendPublisher(config, path, context);
}
