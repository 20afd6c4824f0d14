import type { RoutePlan } from "@mqb/core";

/** What a route promises, in sentences that follow from what its two ends and its middlewares declare. */
export interface Promises {
  readonly order: readonly string[];
  readonly duplicated: readonly string[];
  readonly lost: readonly string[];
  readonly drain: readonly string[];
  readonly stop: readonly string[];
  readonly reconnect: readonly string[];
}

export function promisesOf(plan: RoutePlan): Promises {
  return {
    order: order(plan),
    duplicated: duplicated(plan),
    lost: lost(plan),
    drain: drain(plan),
    stop: stop(plan),
    reconnect: reconnect(plan),
  };
}

function order({ options, input, output }: RoutePlan): string[] {
  const { concurrency, batchSize } = options;
  const batches = concurrency === 1 ? "One batch is" : `Up to ${concurrency} batches are`;
  const sentences = [`${batches} worked on at a time, each of at most ${batchSize} messages.`];
  if (output.output!.orderedPublish)
    sentences.push(`The output "${output.type}" takes one batch after another, in the order of receipt.`);
  else if (concurrency > 1) sentences.push("A batch may overtake an older one on its way to the output.");
  if (input.input!.commitsInOrder)
    sentences.push(
      `The input "${input.type}" takes acknowledgements in the order of receipt only: each waits for the older ones.`,
    );
  return sentences;
}

function duplicated({ input, output, guarantee }: RoutePlan): string[] {
  const source = input.input!;
  const sink = output.output!;
  if (!source.acknowledges) return [`Nothing by the route: the input "${input.type}" gives no message a second time.`];
  if (guarantee.level === "effectively_once")
    return [`Nothing that stays: what comes again is recognised, since ${guarantee.reason}.`];
  const sentences = [
    "What the output has taken and the input has not yet seen acknowledged, when the process dies or a connection breaks: it comes again and is written again.",
  ];
  if (!sink.idempotent)
    sentences.push(`What was sent again because the answer of the output "${output.type}" was lost.`);
  return sentences;
}

function lost({ input, output }: RoutePlan): string[] {
  const sentences: string[] = [];
  if (!input.input!.acknowledges)
    sentences.push(
      `What was read from the input "${input.type}" and not yet accepted by the output, when the process dies, a connection breaks or a send fails: the input takes nothing back.`,
    );
  if (!output.output!.acknowledges)
    sentences.push(
      `What the output "${output.type}" was given and has not written when something breaks: it does not confirm what it takes.`,
    );
  const letters = output.middlewares.find((one) => one.name === "dlq")?.children[0];
  sentences.push(
    letters
      ? `Nothing that fails for good: \`dlq\` sends it to "${letters.type}".`
      : "What fails for good: without `dlq` it is logged, counted and dropped.",
  );
  if (input.middlewares.length + output.middlewares.length > 0)
    sentences.push("What a middleware takes out on purpose, as its description says. It counts as done at the source.");
  return sentences;
}

function drain({ options, input }: RoutePlan): string[] {
  const end = input.input!.bounded
    ? `the input "${input.type}" says that everything was read`
    : `the input "${input.type}" was silent for a second (MQ_BRIDGE_DRAIN_IDLE_TIMEOUT_MS sets another time), since it knows no end`;
  return options.exitOnEmpty
    ? [`This route drains: it ends when ${end}.`]
    : [`This route goes on until it is stopped. With --drain or exit_on_empty it would end when ${end}.`];
}

function stop({ input }: RoutePlan): string[] {
  const rest = input.input!.acknowledges ? "goes back to the source" : "is lost";
  return [
    `A signal stops the reading; what is in flight is finished within 5 s, the output is flushed, both ends are closed. What is not finished by then ${rest}.`,
  ];
}

function reconnect({ options, input }: RoutePlan): string[] {
  const { reconnectIntervalMs } = options;
  const again = input.input!.acknowledges
    ? "What was not acknowledged comes again."
    : "What was in flight does not come again.";
  return [
    `When a connection breaks, both ends are closed and opened again, after ${reconnectIntervalMs} ms at first, then after pauses that double up to 10 s. ${again}`,
  ];
}
