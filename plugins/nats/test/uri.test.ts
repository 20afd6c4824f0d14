import { describe, expect, it } from "vitest";
import { natsScheme } from "../src/uri.ts";

const config = (body: string) => natsScheme.config({ scheme: "nats", body, params: [] }, "input");

describe("a nats URI", () => {
  it.each([
    ["//h:4222/orders.new", { url: "nats://h:4222", subject: "orders.new" }],
    ["//h/orders.%3E", { url: "nats://h", subject: "orders.>" }],
    ["//u:p@h", { url: "nats://u:p@h" }],
    ["//h1,h2:5/a", { url: "nats://h1,h2:5", subject: "a" }],
  ])("%s", (body, expected) => {
    expect(config(body)).toEqual(expected);
  });

  it.each([
    { url: "nats://h:4222", subject: "orders.>" },
    { url: "nats://u:p@h", subject: "a b" },
    { url: "nats://h1,h2:5" },
  ])("is made of %j and read again", (written) => {
    const uri = natsScheme.uri!(written, "input")!;
    expect(config(uri.body)).toEqual(written);
  });

  it("has a URL that it cannot write as a parameter", () => {
    const uri = natsScheme.uri!({ url: "tls://h", subject: "a" }, "input")!;
    expect(uri.params).toEqual([["url", "tls://h"]]);
    expect(config(uri.body)).toEqual({ subject: "a" });
  });
});
