import { checkRoute } from "@mqb/core";
import { describe, expect, it } from "vitest";
import { createRedactor, redactUri, secretsOfPlan } from "../src/index.ts";
import { fakeRegistry } from "./fake-plugin.ts";

describe("what is hidden in a URI", () => {
  it.each([
    ["postgres://u:secret99@h:5432/db?table=t", "postgres://u:***@h:5432/db?table=t"],
    ["mongodb://u:p%40ss%2Fw@h1,h2/db", "mongodb://u:***@h1,h2/db"],
    ["amqp://u:p@ss/w?rd#1@h/v", "amqp://u:***@h/v"],
    ["kafka://u:p@ss/w?rd#1@h:9092/t|retry", "kafka://u:***@h:9092/t|retry"],
    ["redis://:pass/word@h/0", "redis://:***@h/0"],
    ["nats://s3cr3t-token@h:4222/orders", "nats://***@h:4222/orders"],
    ["https://ghp_abcdef@git.example/x?mail=a@b", "https://***@git.example/x?mail=a@b"],
    ["http://h/p?token=abcd&x=1", "http://h/p?token=***&x=1"],
    [
      "http://h/p?access_key=a&apiKey=b&sig=c&X-Amz-Signature=d",
      "http://h/p?access_key=***&apiKey=***&sig=***&X-Amz-Signature=***",
    ],
    ['http://h?custom_headers={"x-api-key": "k 1"}&y=2', "http://h?custom_headers=***&y=2"],
    [
      'mqtt://h/t?tls={"required":true,"cert_password":"pw pw"}',
      'mqtt://h/t?tls={"required":true,"cert_password":"***"}',
    ],
    ['mqtt://h/t?tls={"cert_password":"pw', "mqtt://h/t?tls=***"],
    ["file:x?encryption.key=AAAA&encryption.key_id=k1", "file:x?encryption.key=***&encryption.key_id=k1"],
    ["file:x?encryption.decrypt_keys.old=AAAA&y=1", "file:x?encryption.decrypt_keys.old=***&y=1"],
    ["http://h?custom_headers.x-thing=AAAA&y=1", "http://h?custom_headers.x-thing=***&y=1"],
    ["file:x|encryption?key=AAAA&key_id=k1", "file:x|encryption?key=***&key_id=k1"],
    ['file:x?encryption={"key":"AAAA","key_id":"k1"}', 'file:x?encryption={"key":"***","key_id":"k1"}'],
    ["fanout:?to=db%3A%2F%2Fu%3Apw12%40h%2Fd&to=null:", "fanout:?to=db://u:***@h/d&to=null:"],
    ["fanout:?to=db://u:pw12@h/d&to=db://v:pw34@i/d", "fanout:?to=db://u:***@h/d&to=db://v:***@i/d"],
    ["Server=x;Password=a b;Database=d", "Server=x;Password=***;Database=d"],
    ["Password=p@ss/w;Server=x", "Password=***;Server=x"],
    ['error="write file:Pwd=abc;Uid=u"', 'error="write file:Pwd=***;Uid=u"'],
    ["Server=x; User Id=u; Access Token = abc", "Server=x; User Id=u; Access Token =***"],
    ["file:a|dlq?endpoint=kafka://u:pw12@h/t%3Fpassword=xyz", "file:a|dlq?endpoint=kafka://u:***@h/t%3Fpassword=***"],
  ])("%s", (uri, shown) => {
    expect(redactUri(uri)).toBe(shown);
  });

  it.each([
    "kafka://h/t?partition_key=order_id&routing_key=r",
    "switch:?metadata_key=kind&case.a=null:",
    "http://host:8080/path?mail=a@b.example",
    "Server=x;Database=d;Timeout=5",
    "mongodb://h/db?authSource=admin&authMechanism=SCRAM-SHA-256",
    "redis://user@h/0",
    "postgres://user@h/db",
    "http://h/path/a@b",
    "file:a b@c.jsonl?format=raw",
  ])("and what is not: %s", (uri) => {
    expect(redactUri(uri)).toBe(uri);
  });
});

describe("a redactor", () => {
  it("hides the secrets that it was told, however they are spelled, the longest first", () => {
    const redactor = createRedactor();
    redactor.add("abcd");
    redactor.add("abcdXYZW");
    redactor.add("p@ss/w?rd#1");
    expect(redactor.text("x abcdXYZW abcd p@ss/w?rd#1 p%40ss%2Fw%3Frd%231 y")).toBe("x *** *** *** *** y");
  });

  it("learns them from a configuration", () => {
    const redactor = createRedactor();
    redactor.learn({
      kafka: { url: "h:1", username: "bob", password: "hunter22", topic: "orders" },
      http: { url: "https://u:s3cr3t@h", custom_headers: { "x-thing": "headervalue" } },
      list: [{ api_key: "key-12345" }],
    });
    expect(redactor.text("hunter22 s3cr3t headervalue key-12345 bob orders")).toBe("*** *** *** *** bob orders");
  });

  it("asks for secrets that were promised only when there is a text", () => {
    const redactor = createRedactor();
    let asked = 0;
    redactor.addLater(() => {
      asked += 1;
      return ["hunter22"];
    });
    expect(asked).toBe(0);
    expect([redactor.text("a hunter22"), redactor.text("b hunter22"), asked]).toEqual(["a ***", "b ***", 1]);
  });

  it("hides short passwords where they stand in a URL that was taken apart", () => {
    const redactor = createRedactor();
    redactor.learn("https://u:PW@h/conf.yml");
    expect(redactor.text("PWD /a/https:/u:PW@h/conf.yml")).toBe("PWD /a/https:/u***h/conf.yml");
  });

  it("does not hide words that are too short to be secrets", () => {
    const redactor = createRedactor();
    redactor.add("abc");
    expect(redactor.text("abc alphabet")).toBe("abc alphabet");
  });
});

describe("the secrets of a checked route", () => {
  it("are what its schemas mark, at any depth, in nested endpoints too", () => {
    const sealed = (key: string) => ({ file: { path: "p", sealing: { key, keys: { old: `${key}-old` }, name: "n" } } });
    const config = {
      input: sealed("one"),
      output: { legs: [sealed("two")], middlewares: [{ dlq: { endpoint: sealed("three") } }] },
    };
    const { plan } = checkRoute(fakeRegistry(), "r", config);
    expect(secretsOfPlan(plan!).sort()).toEqual(["one", "one-old", "three", "three-old", "two", "two-old"]);
  });
});
