import { hashId } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { decodeAll, type Options, payloads } from "./support.ts";

const ID = "00000000-0000-4000-8000-000000000001";

function one(line: string, options: Options = {}) {
  const [decoded] = decodeAll(`${line}\n`, { format: "normal", ...options });
  const { batch } = decoded!;
  return {
    id: batch.id(0),
    payload: Buffer.from(batch.payload(0)).toString("latin1"),
    metadata: Object.fromEntries(batch.metadata(0)),
  };
}

describe("envelopes in our own spelling", () => {
  it("give back id, payload and metadata", () => {
    const line = `{"message_id":"${ID}","payload":"{\\"n\\":1}\\u0007\\n","metadata":{"kind":"order","b":"x y"}}`;
    expect(one(line)).toEqual({ id: ID, payload: '{"n":1}\u0007\n', metadata: { kind: "order", b: "x y" } });
  });

  it("need no metadata", () => {
    expect(one(`{"message_id":"${ID}","payload":""}`)).toEqual({ id: ID, payload: "", metadata: {} });
  });

  it("share the metadata that neighbours have in common", () => {
    const line = (n: number) => `{"message_id":"${ID}","payload":"${n}","metadata":{"k":"v"}}\n`;
    const batches = decodeAll(line(1) + line(2), { format: "normal" });
    expect(Object.fromEntries(batches[0]!.batch.shared!)).toEqual({ k: "v" });
    expect(payloads(batches)).toEqual(["1", "2"]);
  });

  it("are not mistaken where a payload looks like metadata", () => {
    const payload = '","metadata":{"k":"v"}}';
    const line = `{"message_id":"${ID}","payload":${JSON.stringify(payload)}}`;
    expect(one(line)).toEqual({ id: ID, payload, metadata: {} });
    const both = `{"message_id":"${ID}","payload":${JSON.stringify(payload)},"metadata":{"a":"b"}}`;
    expect(one(both)).toEqual({ id: ID, payload, metadata: { a: "b" } });
  });

  it("are read with the escapes and characters that metadata may hold", () => {
    const line = `{"message_id":"${ID}","payload":"x","metadata":{"a\\"b":"\\u00fc\\\\","ö":"}"}}`;
    expect(one(line).metadata).toEqual({ 'a"b': "ü\\", ö: "}" });
  });

  it("keep a JSON payload byte for byte in `json`", () => {
    const line = `{"message_id":"${ID}","payload":{"a": 1.0, "b":12345678901234567890},"metadata":{}}`;
    expect(one(line, { format: "json" }).payload).toBe('{"a": 1.0, "b":12345678901234567890}');
  });

  it("lose source positions of somebody else", () => {
    const line = `{"message_id":"${ID}","payload":"x","metadata":{"mqb.src.file_path":"y","k":"v"}}`;
    expect(one(line).metadata).toEqual({ k: "v" });
  });
});

describe("envelopes in another spelling", () => {
  it("may have spaces, further members and another order", () => {
    const line = `  {"metadata": {"k": "v"}, "extra": [1], "payload" : "x" , "message_id" : "${ID}"} `;
    expect(one(line)).toEqual({ id: ID, payload: "x", metadata: { k: "v" } });
  });

  it.each([
    [`"urn:uuid:${ID}"`, ID],
    [`"{${ID.toUpperCase()}}"`, ID],
    [`"0xff"`, "00000000-0000-0000-0000-0000000000ff"],
    [`255`, "00000000-0000-0000-0000-0000000000ff"],
    [`{"$oid":"00000000000000000000000f"}`, "00000000-0000-0000-0000-00000000000f"],
    [`"order-17"`, hashId("order-17")],
    [`"-1"`, hashId("-1")],
    [`"------------------------------------"`, hashId("------------------------------------")],
  ])("may write the id as %s", (json, id) => {
    expect(one(`{"message_id":${json},"payload":"x"}`).id).toBe(id);
  });

  it.each([
    ["normal", "[104,105]", {}, "hi"],
    ["json", "[104,105]", {}, "[104,105]"],
    ["json", "[104,105]", { "mq_bridge.payload_bytes": "1" }, "hi"],
    ["normal", "[104,300]", {}, "[104,300]"],
    ["normal", "null", {}, "null"],
    ["normal", "12.50", {}, "12.5"],
    ["text", '{"a" : [1.0, "\\u00e9"]}', {}, Buffer.from('{"a":[1.0,"é"]}').toString("latin1")],
    ["json", '"text"', {}, '"text"'],
  ] as const)("in %s give for %s with %j the payload %s", (format, json, metadata, payload) => {
    const line = `{"message_id":"${ID}","payload":${json},"metadata":${JSON.stringify(metadata)}}`;
    expect(one(line, { format })).toEqual({ id: ID, payload, metadata: {} });
  });

  it("may hold the payload in base64", () => {
    expect(one(`{"message_id":"${ID}","payload_base64":"/wA="}`).payload).toBe("\xff\0");
  });
});

describe("records that are no envelope", () => {
  it.each([
    ["not json at all", "not_json"],
    ['{"a":1', "not_json"],
    ["[1,2]", "not_envelope"],
    ['{"payload":"no id"}', "not_envelope"],
    [`{"message_id":"${ID}"}`, "not_envelope"],
    [`{"message_id":"${ID}","payload":"a","payload":"b"}`, "not_envelope"],
    [`{"message_id":"${ID}","payload":"both","payload_base64":"AP8="}`, "not_envelope"],
    [`{"message_id":"${ID}","payload_base64":"not base64"}`, "not_envelope"],
    [`{"message_id":"${ID}","payload":"x","metadata":null}`, "not_envelope"],
    [`{"message_id":"${ID}","payload":"x","metadata":{"n":5}}`, "not_envelope"],
    [`{"message_id":"${ID}","payload":"\\ud800"}`, "not_envelope"],
    [`{"message_id":-1,"payload":"x"}`, "not_envelope"],
    [`{"message_id":1.5,"payload":"x"}`, "not_envelope"],
    [`{"message_id":18446744073709551616,"payload":"x"}`, "not_envelope"],
    [`{"message_id":null,"payload":"x"}`, "not_envelope"],
    [`{"message_id":"${ID}","payload":"a"b"}`, "not_json"],
  ])("such as %s become the payload as a whole", (line, kind) => {
    const told: string[] = [];
    const { payload, metadata } = one(line, { onForeign: (what) => told.push(what) });
    expect(payload).toBe(line);
    expect(metadata).toEqual({ "mq_bridge.original_format": "raw" });
    expect(told).toEqual([kind]);
  });

  it("are told of once per kind, and stand among the others in their place", () => {
    const told: [string, number][] = [];
    const good = `{"message_id":"${ID}","payload":"good"}`;
    const batches = decodeAll(
      `x\n${good}\ny\n{}\n${good}\n`,
      {
        format: "normal",
        onForeign: (kind, offset) => told.push([kind, offset]),
      },
      1 << 20,
      10,
    );
    expect(payloads(batches)).toEqual(["x", "good", "y", "{}", "good"]);
    expect(told).toEqual([
      ["not_json", 2],
      ["not_envelope", expect.any(Number)],
    ]);
  });

  it("that are ill-formed UTF-8 keep their bytes", () => {
    const [decoded] = decodeAll(Buffer.from([0x22, 0xff, 0x22, 10]), { format: "json" });
    expect([...decoded!.batch.payload(0)]).toEqual([0x22, 0xff, 0x22]);
  });
});
