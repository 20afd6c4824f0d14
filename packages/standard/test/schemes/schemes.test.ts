import type { EndpointUri, Side } from "@mqb/core/plugin";
import { TempDir } from "@mqb/testkit";
import { expect, it } from "vitest";
import standard from "../../src/index.ts";

/** Takes a URI apart as the configuration package does. */
function parse(text: string): EndpointUri {
  const [, scheme, body, query = ""] = /^([a-z]+):([^?]*)(?:\?(.*))?$/s.exec(text)!;
  return { scheme: scheme!, body: body!, params: [...new URLSearchParams(query)] };
}
const config = (text: string, side: Side = "input") => {
  const uri = parse(text);
  const definition = standard.schemes![uri.scheme]!;
  return { [definition.endpoint]: definition.config(uri, side) };
};

it.each([
  ["memory://orders", { memory: { topic: "orders" } }],
  ["memory:orders", { memory: { topic: "orders" } }],
  ["memory://t?capacity=10&subscribe_mode=true", { memory: { topic: "t", capacity: 10, subscribe_mode: true } }],
  ["memory://t?subscribe_mode=false", { memory: { topic: "t", subscribe_mode: false } }],
  ["memory://t?capacity=ten", { memory: { topic: "t", capacity: "ten" } }],
  ["memory:ipc:///run/q.sock?capacity=2", { memory: { topic: "ipc:///run/q.sock", capacity: 2 } }],
  ["null:", { null: {} }],
  ["null://", { null: {} }],
  ["static:?body=hi there", { static: { body: "hi there" } }],
  ["static:?body=hi&raw=true", { static: { body: "hi", raw: true } }],
  [
    "static:?body=hi&content-type=text/plain&k=v",
    { static: { body: "hi", metadata: { "content-type": "text/plain", k: "v" } } },
  ],
  ["static:?body=", { static: { body: "" } }],
  ["response:", { response: {} }],
  ["fanout:?to=file:a&to=null:", { fanout: ["file:a", "null:"] }],
  ["fanout:?mirror=file:a&to=null:", { fanout: [{ request: { to: "file:a", forward_to: null } }, "null:"] }],
  ["request:?to=memory:a&forward_to=response:", { request: { to: "memory:a", forward_to: "response:" } }],
  ["request:?to=memory:a", { request: { to: "memory:a", forward_to: null } }],
  [
    "switch:?default=null:&case.a=file:a&metadata_key=k&case.b.c=file:b&case.=file:c",
    { switch: { metadata_key: "k", cases: { a: "file:a", "b.c": "file:b", "": "file:c" }, default: "null:" } },
  ],
  [
    "switch:?when=a%20>%201&to=file:a&default=null:&when=a%3D%3D2&to=file:b",
    {
      switch: {
        when: [
          { if: "a > 1", to: "file:a" },
          { if: "a==2", to: "file:b" },
        ],
        default: "null:",
      },
    },
  ],
])("%s", (uri, expected) => {
  expect(config(uri)).toEqual(expected);
});

it.each([
  ["memory:", /names no topic/],
  ["memory://", /names no topic/],
  ["memory://t?enable_nack=true", /unrecognised query param 'enable_nack'.*capacity, subscribe_mode/],
  ["null:?a=b", /unrecognised query param 'a'/],
  ["null:x", /takes nothing between "null:" and/],
  ["response:?a=b", /unrecognised query param 'a'/],
  ["response:x", /takes nothing between/],
  ["fanout:", /needs a branch/],
  ["fanout:?too=file:a", /unrecognised query param 'too'.*to, mirror/],
  ["request:?forward_to=null:", /needs \?to=/],
  ["request:?to=null:&mirror=null:", /unrecognised query param 'mirror'/],
  ["switch:?default=null:", /metadata_key= with case.VALUE=, or \?when=/],
  ["switch:?metadata_key=k&default=null:", /at least one case.VALUE=/],
  ["switch:?case.a=null:", /needs \?metadata_key=/],
  ["switch:?metadata_key=k&case.a=null:&when=a&to=null:", /not both/],
  ["switch:?when=a", /when= is not followed by its to=/],
  ["switch:?when=a&default=null:&to=null:", /when= is not followed by its to=/],
  ["switch:?when=a&when=b&to=null:", /when= is not followed by its to=/],
  ["switch:?to=null:&when=a", /to= has no when= before it/],
  ["switch:?metadata_key=k&cases=null:", /unrecognised query param 'cases'.*case.VALUE/],
  ["static:", /\?body= or \?body_file=/],
  ["static:hi", /takes nothing between "static:" and/],
  ["static:?body=a&body_file=b", /not both/],
  ["static:?body_file=/nowhere/body.txt", /\/nowhere\/body\.txt cannot be read/],
])("refuses %s", (uri, message) => {
  expect(() => config(uri)).toThrow(message);
  expect(() => config(uri)).toThrow(expect.objectContaining({ kind: "config" }));
});

it("reads the body of a static message from a file", async () => {
  await using dir = await TempDir.make();
  const path = await dir.write("body.txt", "from a file\n");
  expect(config(`static:?body_file=${encodeURIComponent(path)}`)).toEqual({ static: { body: "from a file\n" } });
});

it("keeps a metadata name that every object has", () => {
  const { static: made } = config("static:?body=x&__proto__=y&constructor=z") as { static: { metadata: object } };
  expect(Object.entries(made.metadata)).toEqual([
    ["__proto__", "y"],
    ["constructor", "z"],
  ]);
});
