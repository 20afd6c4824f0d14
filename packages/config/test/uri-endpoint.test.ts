import { createRegistry } from "@mqb/core";
import { definePlugin } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { endpointFromUri, packageFor } from "../src/index.ts";
import { fakeRegistry } from "./fake-plugin.ts";

const registry = fakeRegistry();
const output = (uri: string) => endpointFromUri(uri, "output", registry);
const input = (uri: string) => endpointFromUri(uri, "input", registry);

function failure(make: () => unknown): { code: string; message: string; hint?: string } {
  try {
    make();
  } catch (error) {
    return error as never;
  }
  throw new Error("nothing was refused");
}

describe("parameters become fields by the type in the schema", () => {
  it.each([
    ["format=raw", { format: "raw" }],
    ["batch=7", { batch: 7 }],
    ["ratio=0.5", { ratio: 0.5 }],
    ["delete=true", { delete: true }],
    ['csv={"separator":";"}', { csv: { separator: ";" } }],
    ['columns=["a","b"]', { columns: ["a", "b"] }],
    ["source=auto", { source: "auto" }],
    ["source=false", { source: false }],
    ["anything=2024", { anything: "2024" }],
    ['anything={"a":1}', { anything: { a: 1 } }],
  ])("%s", (query, fields) => {
    expect(output(`file:x?${query}`)).toEqual({ file: { path: "x", ...fields } });
  });

  it("keeps a number as text where the field takes texts", () => {
    expect(output("db://h?table=2024")).toEqual({ db: { url: "db://h", table: "2024" } });
  });

  it.each(["batch=ten", "delete=yes", "ratio="])("passes on %s for the check to refuse", (query) => {
    const [name, value] = query.split("=");
    expect(output(`file:x?${query}`)).toEqual({ file: { path: "x", [name!]: value } });
  });

  it("refuses a text that is none of the choices, with the nearest and all of them", () => {
    expect(failure(() => output("file:x?format=cvs"))).toMatchObject({
      code: "MQB_CONFIG_URI_CHOICE",
      message: 'the query param "format" of "file" cannot be "cvs"',
      hint: 'did you mean "csv"? it takes: normal, raw, csv',
    });
  });

  it("refuses a text where only a JSON literal fits, with an example of both spellings", () => {
    expect(failure(() => output("file:x?csv=tab"))).toMatchObject({
      code: "MQB_CONFIG_URI_JSON",
      message: expect.stringContaining("JSON literal"),
      hint: 'write csv={"separator":"value"} or csv.separator=value',
    });
    expect(failure(() => output("file:x?columns=a,b")).hint).toBe('write columns=["a","b"]');
    expect(failure(() => output('file:x?columns={"a":1}')).code).toBe("MQB_CONFIG_URI_JSON");
  });

  it("refuses a parameter given twice", () => {
    expect(failure(() => output("file:x?format=raw&format=csv")).code).toBe("MQB_CONFIG_URI_REPEATED");
  });

  it("refuses an unknown parameter, with the known ones and the nearest", () => {
    const error = failure(() => output("file:x?formt=raw"));
    expect(error).toMatchObject({
      code: "MQB_CONFIG_URI_PARAM",
      message: `unrecognised query param "formt" of "file"`,
    });
    expect(error.hint).toMatch(/did you mean "format"\? it takes: path, format,/);
  });
});

describe("a member of an object field", () => {
  it.each([
    ["csv.separator=auto", { csv: { separator: "auto" } }],
    ["sealing.key=k&sealing.name=n", { sealing: { key: "k", name: "n" } }],
    ["sealing.keys.old.key=a.b", { sealing: { keys: { "old.key": "a.b" } } }],
    ['sealing={"key":"k"}&sealing.name=n', { sealing: { key: "k", name: "n" } }],
  ])("is reached with a dot: %s", (query, fields) => {
    expect(output(`file:x?${query}`)).toEqual({ file: { path: "x", ...fields } });
  });

  it("is refused when it is unknown, with those that there are", () => {
    const error = failure(() => output("file:x?csv.seperator=;"));
    expect(error).toMatchObject({ code: "MQB_CONFIG_URI_PARAM", hint: expect.stringContaining('"csv.separator"?') });
    expect(failure(() => output("file:x?path.x=1")).code).toBe("MQB_CONFIG_URI_PARAM");
  });

  it("is refused when it is given twice", () => {
    const twice = [
      "csv.separator=;&csv.separator=,",
      'csv={"separator":";"}&csv.separator=,',
      'csv.separator=;&csv={"quote":"x"}',
    ];
    expect(twice.map((query) => failure(() => output(`file:x?${query}`)).code)).toEqual(
      twice.map(() => "MQB_CONFIG_URI_REPEATED"),
    );
  });

  it("cannot be the prototype", () => {
    expect(failure(() => output('file:x?anything={"a":{"__proto__":{"b":1}}}')).code).toBe("MQB_CONFIG_URI_KEY");
    expect(failure(() => output("file:x?sealing.keys.__proto__=1")).code).toBe("MQB_CONFIG_URI_PARAM");
    expect(failure(() => output("file:x?__proto__.b=1")).code).toBe("MQB_CONFIG_URI_PARAM");
    expect(({} as { b?: unknown }).b).toBeUndefined();
  });

  it("of a driver's parameter stays with the driver", () => {
    expect(input("db://h/d?pool.size=4&tls.required=true")).toEqual({
      db: { url: "db://h/d?pool.size=4", tls: { required: true } },
    });
  });
});

describe("an endpoint whose URL carries driver options", () => {
  it("keeps unknown parameters on the URL", () => {
    expect(input("db://h/d?sslmode=require&table=t&app=a b")).toEqual({
      db: { url: "db://h/d?sslmode=require&app=a%20b", table: "t" },
    });
  });

  it("keeps a parameter that is named like an object field but is no JSON", () => {
    expect(input("db://h/d?tls=true")).toEqual({ db: { url: "db://h/d?tls=true" } });
    expect(input('db://h/d?tls={"required":true}')).toEqual({ db: { url: "db://h/d", tls: { required: true } } });
  });

  it("still refuses a slip in the name of a field", () => {
    expect(failure(() => input("db://h/d?tabel=t")).hint).toMatch(/did you mean "table"/);
  });

  it("takes url= verbatim, and then has no place for driver options", () => {
    expect(input("db://h/d?url=db%3A%2F%2Fx%2Fy%3Fz%3D1&table=t")).toEqual({ db: { url: "db://x/y?z=1", table: "t" } });
    expect(failure(() => input("db://h/d?url=db%3A%2F%2Fx&sslmode=require")).code).toBe("MQB_CONFIG_URI_PARAM");
  });
});

describe("schemes", () => {
  it("name the package of one that is not installed", () => {
    expect(failure(() => input("kafka://h/t"))).toMatchObject({
      code: "MQB_CONFIG_URI_SCHEME",
      message: 'the plugin for "kafka:" is not installed',
      hint: "install @mqb/kafka",
    });
  });

  it("list what is known for one that nobody knows", () => {
    const error = failure(() => input("flie://x"));
    expect(error.message).toBe('unknown scheme "flie:"');
    expect(error.hint).toBe(
      'did you mean "file:"? known schemes: db, fanout, file, legs, null, request, response, switch',
    );
  });

  it("name the package of a near one that is not installed", () => {
    expect(failure(() => input("kafak://x")).hint).toMatch(/^did you mean "kafka:"\? \(install @mqb\/kafka\) known/);
  });

  it("do not ask to install what is installed already", () => {
    const standard = definePlugin({ name: "@mqb/standard", apiVersion: 1 });
    const installed = createRegistry([standard], { packageFor });
    expect(failure(() => endpointFromUri("response:", "output", installed))).toMatchObject({
      message: '"response:" is not available',
      hint: "the installed @mqb/standard does not have it; a newer version may",
    });
  });

  it("fall back on the name of an endpoint, with parameters only", () => {
    expect(input("own-name:?size=3")).toEqual({ own_name: { size: 3 } });
    expect(failure(() => input("own_name:abc")).code).toBe("MQB_CONFIG_URI_BODY");
  });
});

describe("middlewares of a URI", () => {
  it("take fields, in written order", () => {
    expect(output("null:|retry?max_attempts=5|dlq?endpoint=file:d.jsonl")).toEqual({
      null: {},
      middlewares: [{ retry: { max_attempts: 5 } }, { dlq: { endpoint: { file: { path: "d.jsonl" } } } }],
    });
  });

  it("take the whole query where they take a text", () => {
    expect(input("file:a|filter?amount > 1 and b=='c'")).toEqual({
      file: { path: "a" },
      middlewares: [{ filter: "amount > 1 and b=='c'" }],
    });
    expect(input("file:a|filter?expression=x&on_error=drop")).toMatchObject({
      middlewares: [{ filter: { expression: "x", on_error: "drop" } }],
    });
    expect(failure(() => input("file:a|filter")).code).toBe("MQB_CONFIG_URI_MIDDLEWARE_VALUE");
  });

  it("are refused when unknown, with the nearest or the package", () => {
    expect(failure(() => output("null:|retrry"))).toMatchObject({
      code: "MQB_CONFIG_URI_MIDDLEWARE",
      hint: 'did you mean "retry"?',
    });
    expect(failure(() => output("null:|encryption?key=abc"))).toMatchObject({ hint: "install @mqb/encryption" });
    expect(failure(() => output("null:|retry?atempts=1")).code).toBe("MQB_CONFIG_URI_PARAM");
  });
});

describe("nested URIs", () => {
  it("become endpoints wherever the definition has one, at any depth", () => {
    expect(output("legs:?to=file:a.jsonl&to=file:b.txt%3Fformat=raw%7Cretry&to=legs:%3Fto=null:")).toEqual({
      legs: [
        { file: { path: "a.jsonl" } },
        { file: { path: "b.txt", format: "raw" }, middlewares: [{ retry: {} }] },
        { legs: [{ null: {} }] },
      ],
    });
  });

  it("are refused before anything is opened", () => {
    expect(failure(() => output("legs:?to=nosuch://x")).message).toBe('unknown scheme "nosuch:"');
    expect(failure(() => output("null:|dlq?endpoint=kafka://h/t")).hint).toBe("install @mqb/kafka");
  });

  it("do not have variables put in twice", () => {
    expect(endpointFromUri("legs:?to=file:%24{X}", "output", registry, { X: "wrong" })).toEqual({
      legs: [{ file: { path: "${X}" } }],
    });
  });
});
