import { batchOf, type Handler, Message } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { Talker } from "../support.ts";
import { addressOf, ask, freshSubject, NATS_URL, Routes, withNats } from "./setup.ts";

const CLIENTS = 100;
const ROUNDS = 3;
const QUESTIONS = 40;

/**
 * Answers when so many questions are there, the last one first, so that every answer overtakes all those before it. `total` is how
 * many will come in all: the last ones wait for nobody.
 */
function overtaking(total: number, atOnce: number): Handler {
  let left = total;
  let waiting: (() => void)[] = [];
  return async (message) => {
    await new Promise<void>((resolve) => {
      waiting.push(resolve);
      if (waiting.length < Math.min(left, atOnce)) return;
      left -= waiting.length;
      const turns = waiting.reverse();
      waiting = [];
      for (const go of turns) go();
    });
    return message.with({ payload: Buffer.from(`answer to ${message.text()}`) });
  };
}

interface Way {
  readonly name: string;
  /** The endpoint that is asked, and the input of the route that answers. */
  readonly ends: () => { readonly to: object; readonly input: object };
}

const memory: Way = {
  name: "memory",
  ends: () => ({
    to: { memory: { topic: "questions", request_reply: true } },
    input: { memory: { topic: "questions" } },
  }),
};
const nats: Way = {
  name: "nats",
  ends: () => {
    const core = { url: NATS_URL, subject: freshSubject(), no_jetstream: true };
    return { to: { nats: { ...core, request_reply: true } }, input: { nats: { ...core, stream: "repliers" } } };
  },
};

function correlates({ name, ends }: Way): void {
  describe(`${CLIENTS} clients at once, with answers that overtake each other, over ${name}`, () => {
    it("get their own answers over HTTP", { timeout: 60_000 }, async () => {
      await using routes = new Routes();
      const { to, input } = ends();
      const many = { concurrency: CLIENTS, batch_size: 1 };
      const handler = overtaking(CLIENTS * ROUNDS, CLIENTS);
      await routes.start("answers", { input, output: { response: {} }, ...many }, handler);
      const front = await routes.start("front", {
        input: { http: { url: "127.0.0.1:0", concurrency_limit: CLIENTS } },
        output: { request: { to, forward_to: { response: {} } } },
        ...many,
      });
      const address = addressOf(front);
      const client = async (id: number): Promise<string[]> => {
        const wrong: string[] = [];
        for (let round = 0; round < ROUNDS; round++) {
          const question = `${id}.${round}`;
          const { status, text } = await ask(address, question);
          if (status !== 200 || text !== `answer to ${question}`) wrong.push(`${question}: ${status} ${text}`);
        }
        return wrong;
      };
      const wrong = await Promise.all(Array.from({ length: CLIENTS }, (_, id) => client(id)));
      expect(wrong.flat()).toEqual([]);
      expect(front.status().accounting).toMatchObject({
        replied: CLIENTS * ROUNDS,
        nacked: 0,
        dropped: 0,
        inFlight: 0,
      });
    });

    it("get their own answers over WebSockets", { timeout: 60_000 }, async () => {
      await using routes = new Routes();
      const { to, input } = ends();
      const many = { concurrency: CLIENTS, batch_size: 1 };
      const handler = overtaking(CLIENTS * ROUNDS, CLIENTS);
      await routes.start("answers", { input, output: { response: {} }, ...many }, handler);
      const front = await routes.start("front", {
        input: { websocket: { url: "127.0.0.1:0" } },
        output: { request: { to, forward_to: { response: {} } } },
        ...many,
      });
      const url = `ws://${addressOf(front)}`;
      const talkers = await Promise.all(Array.from({ length: CLIENTS }, () => Talker.connect(url)));
      for (let round = 0; round < ROUNDS; round++) {
        for (const [id, { socket }] of talkers.entries()) socket.send(`${id}.${round}`);
      }
      for (const [id, talker] of talkers.entries()) {
        const texts = await talker.texts(ROUNDS);
        expect(texts.sort()).toEqual(Array.from({ length: ROUNDS }, (_, round) => `answer to ${id}.${round}`));
      }
    });

    it("get them in the order of a batch, whoever answers first", async () => {
      await using routes = new Routes();
      const { to, input } = ends();
      const answering = { input, output: { response: {} }, concurrency: 50, batch_size: 1 };
      await routes.start("answers", answering, overtaking(QUESTIONS, QUESTIONS));
      const sink = await routes.publisher({
        request: { to, forward_to: { memory: { topic: "answers", capacity: 100 } } },
      });
      const questions = Array.from({ length: QUESTIONS }, (_, n) => new Message(`${n}`));
      expect(await sink.send(batchOf(questions), new AbortController().signal)).toSatisfy(
        (outcomes: readonly { type: string }[] | undefined) =>
          outcomes?.every(({ type }) => type === "accepted") ?? true,
      );
      const answers: string[] = [];
      await routes.start("reads", { input: { memory: { topic: "answers" } }, output: { null: {} } }, (message) => {
        answers.push(message.text());
      });
      await expect.poll(() => answers.length).toBe(QUESTIONS);
      expect(answers).toEqual(questions.map((one) => `answer to ${one.text()}`));
      await sink.close();
    });
  });
}

correlates(memory);
await withNats("with a real server", () => correlates(nats));
