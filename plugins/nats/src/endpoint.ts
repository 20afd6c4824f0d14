import { defineEndpoint } from "@mqb/core/plugin";
import { checkNats } from "./check.ts";
import { openConsumer } from "./consumer/open.ts";
import { errors } from "./errors.ts";
import { probeNats } from "./probe.ts";
import { openPublisher } from "./publisher/open.ts";
import { type NatsConfig, natsSchema } from "./schema.ts";

export const nats = defineEndpoint<NatsConfig>({
  description:
    "Subjects of NATS: streams of JetStream, which keep messages until they are acknowledged, and core NATS.",
  schema: natsSchema,
  nameField: "subject",
  check: checkNats,
  probe: probeNats,
  resume(written, id) {
    if (id !== undefined) throw errors.NO_RESUME({});
    return written;
  },
  input: {
    capabilities: ({ no_jetstream: core }) => ({
      acknowledges: !core,
      commitsInOrder: false,
      replies: true,
      stableIds: !core,
      replayablePosition: false,
      // The server says how much of a stream is left.
      bounded: !core,
    }),
    open: openConsumer,
  },
  output: {
    capabilities: ({ no_jetstream: core, delayed_ack: late, request_reply: asks }) => ({
      acknowledges: asks === true || (!core && !late),
      replies: asks === true,
      orderedPublish: false,
      idempotent: false,
      keepsNothing: true,
    }),
    open: openPublisher,
  },
});
