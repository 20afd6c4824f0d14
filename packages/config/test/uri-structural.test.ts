import { describe, expect, it } from "vitest";
import { endpointFromUri, namesInUri, parseUri } from "../src/index.ts";
import { fakeRegistry } from "./fake-plugin.ts";

const registry = fakeRegistry();
const output = (uri: string) => endpointFromUri(uri, "output", registry);

describe("URIs of endpoints that are made of others", () => {
  it("repeat a parameter for a list, in its order", () => {
    expect(output("fanout:?to=file:a&to=null:&to=file:b%3Fformat=raw%7Cretry")).toEqual({
      fanout: [
        { file: { path: "a" } },
        { null: {} },
        { file: { path: "b", format: "raw" }, middlewares: [{ retry: {} }] },
      ],
    });
  });

  it("read the URIs inside of what a scheme has made", () => {
    expect(output("fanout:?to=null:&mirror=fanout:?to=file:b")).toEqual({
      fanout: [{ null: {} }, { request: { to: { fanout: [{ file: { path: "b" } }] }, forward_to: null } }],
    });
  });

  it("keep pairs in order, and map names to endpoints", () => {
    expect(output("switch:?when=a > 1&to=file:a&when=b=='x' or c&to=request:?to=file:b&default=null:")).toEqual({
      switch: {
        when: [
          { when: "a > 1", to: { file: { path: "a" } } },
          { when: "b=='x' or c", to: { request: { to: { file: { path: "b" } }, forward_to: null } } },
        ],
        default: { null: {} },
      },
    });
    expect(output("switch:?metadata_key=kind&case.order.new=file:a&case.x=null:")).toEqual({
      switch: { metadata_key: "kind", cases: { "order.new": { file: { path: "a" } }, x: { null: {} } } },
    });
  });

  it("take an endpoint as a JSON literal, with URIs inside", () => {
    expect(
      output(
        'null:|dlq?endpoint={"fanout":["file:a",{"file":{"path":"b"},"middlewares":[{"dlq":{"endpoint":"null:"}}]}]}',
      ),
    ).toEqual({
      null: {},
      middlewares: [
        {
          dlq: {
            endpoint: {
              fanout: [
                { file: { path: "a" } },
                { file: { path: "b" }, middlewares: [{ dlq: { endpoint: { null: {} } } }] },
              ],
            },
          },
        },
      ],
    });
  });

  it("are refused at any depth before anything is opened", () => {
    expect(() => output("fanout:?to=null:&to=switch:?default=nosuch:")).toThrow(/unknown scheme "nosuch:"/);
    expect(() => output(`${"fanout:?to=".repeat(100)}null:`)).toThrow(
      expect.objectContaining({ code: "MQB_CONFIG_URI_DEPTH" }),
    );
  });
});

describe("what a URI names", () => {
  const names = (uri: string) => namesInUri(parseUri(uri, "output"), "output");

  it.each([
    "postgres-cdc://h/db?checkpoint_store=positions",
    "memory:x|aggregate?store=positions",
    "sequence:?b.checkpoint_store=positions",
  ])("is the scheme of files where the place of a state store is one word: %s", (uri) => {
    expect([...names(uri).stores]).toContain("file");
  });

  it("is everything inside it too: nested URIs, paths, literals", () => {
    const found = names('fanout:?to=kafka:x%7Cretry&to=a.jsonl&mirror={"mqtt":{"middlewares":[{"dlq":{"nats":{}}}]}}');
    expect([...found.schemes]).toEqual(expect.arrayContaining(["fanout", "kafka", "file"]));
    expect([...found.endpoints]).toEqual(expect.arrayContaining(["mqtt", "nats"]));
    expect([...found.middlewares]).toEqual(expect.arrayContaining(["retry", "dlq"]));
  });
});
