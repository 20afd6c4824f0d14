import { deepEqual, equal, ok } from "node:assert/strict";
import { type Disposition, Message, type Outcome, reply } from "@mqb/core/plugin";
import type { ConnectorLab } from "../lab.ts";
import { acknowledges, sourceReplies, sourceTakesNoReplies, stored, unless } from "../left-out.ts";
import type { ConnectorScenario } from "../types.ts";

export const replies: readonly ConnectorScenario[] = [
  {
    name: "a reply reaches the one who sent the message",
    leftOut: unless(sourceReplies),
    async run(lab) {
      const reader = lab.reader();
      await reader.open();
      const asking = ask(lab, lab.messages(3));
      asking.catch(() => {});
      const taken = await reader.take(3);
      await reader.commit(taken, answer(lab));
      const answers = await lab.soon(asking, "the replies");
      deepEqual(
        answers.map((message) => message.text()),
        ["answer 0", "answer 1", "answer 2"],
      );
    },
  },
  {
    name: "a reply counts as an ack where the source takes none",
    leftOut: unless(acknowledges, sourceTakesNoReplies, stored),
    async run(lab) {
      await lab.seed(lab.messages(3));
      const reader = lab.reader();
      await reader.commit(await reader.take(3), answer(lab));
      await reader.close();
      deepEqual(await lab.rest(), []);
    },
  },
];

function answer(lab: ConnectorLab): (message: Message) => Disposition {
  return (message) => reply(new Message(`answer ${lab.number(message)}`));
}

async function ask(lab: ConnectorLab, questions: readonly Message[]): Promise<readonly Message[]> {
  const { request } = lab.place;
  if (request)
    return Promise.all(questions.map((question) => request.call(lab.place, question, lab.context("output"))));
  if (!lab.subject.output?.replies) {
    throw new TypeError(`the sink of "${lab.tested.endpoint}" cannot ask: give the place a \`request\``);
  }
  const outcomes = await lab.send(await lab.publisher(), questions);
  return outcomes.map((outcome: Outcome) => {
    ok(outcome.type === "replied", `the outcome is ${outcome.type}`);
    equal(outcome.message.payload.length > 0, true);
    return outcome.message;
  });
}
