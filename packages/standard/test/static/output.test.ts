import { batchOf, Message, type Outcome } from "@mqb/core/plugin";
import { expect, it, vi } from "vitest";
import { NEVER, TestBridge } from "../opened.ts";

const bridge = new TestBridge();
const ID = "00000000-0000-4000-8000-000000000001";
const requests = batchOf([
  new Message('{"a":"q\\"q"}', new Map([["k", 'v"v']]), ID),
  new Message('{"a":5}', undefined, ID.replace(/1$/, "2")),
]);

async function answers(endpoint: unknown): Promise<Message[]> {
  const publisher = await bridge.publisher({ static: endpoint });
  const outcomes = (await publisher.send(requests, NEVER))!;
  return outcomes.map((outcome: Outcome) => {
    if (outcome.type !== "replied") throw new Error(`not answered: ${outcome.type}`);
    return outcome.message;
  });
}

it("answers with the body as a JSON string, under the id of the request", async () => {
  const replies = await answers("OK");
  expect(replies.map((reply) => reply.text())).toEqual(['"OK"', '"OK"']);
  expect(replies.map((reply) => reply.id)).toEqual([requests.id(0), requests.id(1)]);
});

it("encodes the whole rendered body, so that tokens need no escaping", async () => {
  expect((await answers("OK ${payload:a} ${message:payload}")).map((reply) => reply.text())).toEqual([
    '"OK q\\"q {\\"a\\":\\"q\\\\\\"q\\"}"',
    '"OK 5 {\\"a\\":5}"',
  ]);
});

it("sends a raw body as it is, with its metadata", async () => {
  const [reply] = await answers({ body: "plain ${payload:a}", raw: true, metadata: { "content-type": "text/plain" } });
  expect(reply!.text()).toBe('plain q"q');
  expect([...reply!.metadata]).toEqual([["content-type", "text/plain"]]);
});

it.each(["content-type", "Content-Type"])("escapes the tokens of a raw JSON body (%s)", async (key) => {
  const body =
    '{"id":"${message:id}","p":"${payload:a}","r":${payload:a | raw},"m":"${metadata:k}","b":"${message:payload | base64}","miss":"${payload:zz}","cnt":${gen:counter},"lit":"$${x}","unk":"${foo:bar}"}';
  const replies = await answers({ body, raw: true, metadata: { [key]: "application/json", extra: "1" } });
  expect(replies.map((reply) => reply.text())).toEqual([
    `{"id":"${ID}","p":"q\\"q","r":q"q,"m":"v\\"v","b":"eyJhIjoicVwicSJ9","miss":"","cnt":0,"lit":"\${x}","unk":"\${foo:bar}"}`,
    '{"id":"00000000-0000-4000-8000-000000000002","p":"5","r":5,"m":"","b":"eyJhIjo1fQ==","miss":"","cnt":1,"lit":"${x}","unk":"${foo:bar}"}',
  ]);
});

it("reads the environment once, when it opens", async () => {
  vi.stubEnv("MQB_STATIC_TEST", "first");
  const publisher = await bridge.publisher({ static: { body: "${env:MQB_STATIC_TEST}", raw: true } });
  vi.stubEnv("MQB_STATIC_TEST", "second");
  const [outcome] = (await publisher.send(requests, NEVER))!;
  expect(outcome).toMatchObject({ type: "replied" });
  expect((outcome as { message: Message }).message.text()).toBe("first");
});
