import { Message } from "@mqb/core/plugin";
import { CollectingPublisher, fakeContext, fakePlugin, slabOf } from "@mqb/testkit";
import { describe, expect, it, vi } from "vitest";
import { lookupSchema } from "../src/config.ts";
import plugin from "../src/index.ts";
import { ASKED, Asked, batch, never, openOutput, type Written } from "./looking.ts";

const INHERITED = new Map([
  ["kept", "1"],
  ["http_method", "POST"],
  ["http_path", "/of/the/message"],
  ["http_query", "a=1"],
  ["http_status_code", "404"],
  ["correlation_id", "c"],
  ["reply_to", "somebody"],
]);

async function requestFor(config: Partial<Written>, message: Message): Promise<Message> {
  const asked = new Asked(() => "1");
  const { publisher } = await openOutput({ ...ASKED, ...config }, { asked });
  await publisher.send(batch(message), never);
  return asked.requests[0]!;
}

describe("a request", () => {
  it.each([
    ["a list of messages", (message: Message) => batch(message)],
    ["lines", (message: Message) => slabOf([message])],
  ])("is the message, without what would steer it or lead its answer astray: %s", async (_, made) => {
    const asked = new Asked(() => "1");
    const { publisher } = await openOutput(ASKED, { asked });
    const message = new Message('{"a":1}', INHERITED);
    await publisher.send(made(message), never);
    const [request] = asked.requests;
    expect(request!.text()).toBe('{"a":1}');
    expect(request!.id).toBe(message.id);
    expect([...request!.metadata]).toEqual([["kept", "1"]]);
  });

  it("has the metadata that the configuration gives it, made from the message", async () => {
    const metadata = {
      http_path: "/users/${payload:user.id}?m=${metadata:http_method}",
      http_method: "GET",
      kept: "2",
      id: "${message:id}",
    };
    const message = new Message('{"user":{"id":12345678901234567890}}', INHERITED);
    expect([...(await requestFor({ metadata }, message)).metadata]).toEqual([
      ["kept", "2"],
      ["http_path", "/users/12345678901234567890?m=POST"],
      ["http_method", "GET"],
      ["id", message.id],
    ]);
  });

  it("has the payload that the configuration gives it", async () => {
    const request = await requestFor(
      { payload: "id=${payload:id}&all=${message:payload}" },
      new Message('{"id":"a\\"b"}'),
    );
    expect(request.text()).toBe('id=a"b&all={"id":"a\\"b"}');
  });

  it.each([
    ["given", { "Content-Type": "application/json" }, new Map<string, string>()],
    ["inherited", {}, new Map([["content-type", "application/ld+json; charset=utf-8"]])],
  ])("with a %s content type of JSON has values escaped in it", async (_, metadata, own) => {
    const message = new Message('{"id":"a\\"b","o":{"x":1}}', own);
    const request = await requestFor({ payload: '{"id":"${payload:id}","o":${payload:o | raw}}', metadata }, message);
    expect(request.text()).toBe('{"id":"a\\"b","o":{"x":1}}');
  });

  it("takes variables from the environment, and counts", async () => {
    vi.stubEnv("LOOKUP_TEST", "here");
    const asked = new Asked(() => "1");
    const { publisher } = await openOutput(
      { ...ASKED, payload: "${env:LOOKUP_TEST} ${gen:counter}", concurrency: 1 },
      { asked },
    );
    await publisher.send(batch("{}", "{}"), never);
    await publisher.send(batch("{}"), never);
    expect(asked.texts).toEqual(["here 0", "here 1", "here 2"]);
  });

  it("to an http endpoint asks for its status, whatever the configuration says", async () => {
    const opened: unknown[] = [];
    const http = {
      publisher(config: unknown) {
        opened.push(config);
        return new Asked(() => "1");
      },
    };
    const from = { http: { url: "http://h", pass_through_status: false }, middlewares: [] };
    const context = fakeContext({ plugins: [fakePlugin({ http })] });
    const settings = lookupSchema.parse({ from, into: "a" });
    await plugin.middlewares!["lookup"]!.output!(new CollectingPublisher(), settings, context);
    expect(opened).toEqual([{ url: "http://h", pass_through_status: true }]);
    expect(from.http.pass_through_status).toBe(false);
  });
});
