import { defineMiddleware, type Finding, type InputCapabilities, type MiddlewareContext } from "@mqb/core/plugin";
import { type WeakJoinSettings, weakJoinSchema } from "./config.ts";
import { JoinConsumer } from "./consumer.ts";
import { forgetBatches, Groups, type JoinMemory } from "./groups.ts";

export const weakJoin = defineMiddleware({
  description: "Joins messages that belong together to one",
  schema: weakJoinSchema,
  input: (inner, settings, context) => new JoinConsumer(inner, settings, memoryOf(settings, context), context),
  inputCapabilities: (below, { ack }) => ({
    ...below,
    // Batches of the source are committed in their order here, whatever the order of the joined messages is.
    commitsInOrder: false,
    stableIds: false,
    replayablePosition: false,
    positions: false,
    ...(ack === "on_receive" ? { acknowledges: false, takesBack: false, replies: false } : {}),
  }),
  check,
});

/** Messages that their source has forgotten are kept over a reconnect; others come again. */
function memoryOf(settings: WeakJoinSettings, { session, below }: MiddlewareContext<InputCapabilities>): JoinMemory {
  const before = session.get("weak_join") as JoinMemory | undefined;
  if (before) {
    // The batches that they came in belong to a source that is closed.
    before.groups.forgetBatches();
    for (const { group } of before.ready) forgetBatches(group);
    return before;
  }
  const { takesBack = below.acknowledges } = below;
  const memory: JoinMemory = {
    groups: new Groups(settings),
    ready: [],
    outlives: settings.ack === "on_receive" || !takesBack,
  };
  if (memory.outlives) session.set("weak_join", memory);
  return memory;
}

function check({ required, branch_by }: WeakJoinSettings): Finding[] {
  if (required.length === 0 || branch_by != null) return [];
  return [
    {
      level: "warning",
      path: ["required"],
      code: "MQB_STANDARD_JOIN_NO_BRANCHES",
      message: "`required` has no effect without `branch_by`: groups are whole by their number of messages",
      hint: "name the metadata key of the branch in `branch_by`",
    },
  ];
}
