import { batchOf, Message } from "@mqb/core/plugin";
import { fakeContext, ScriptedConsumer } from "@mqb/testkit";
import { type UnpackConfig, unpackSchema } from "../../src/unpack/config.ts";
import { UnpackingConsumer } from "../../src/unpack/consumer.ts";
import { NEVER } from "../opened.ts";

/** An `unpack` around a scripted source. */
export function unpackedSource(config: UnpackConfig = {}) {
  const source = new ScriptedConsumer();
  const context = fakeContext();
  return { source, context, consumer: new UnpackingConsumer(source, unpackSchema.parse(config), context) };
}

/** What `unpack` makes of one payload. */
export async function unpacked(payload: Uint8Array, config: UnpackConfig = {}): Promise<Message[]> {
  const { source, consumer } = unpackedSource(config);
  source.push(batchOf([new Message(payload)]));
  return [...(await consumer.receive(1e6, NEVER)).batch];
}
