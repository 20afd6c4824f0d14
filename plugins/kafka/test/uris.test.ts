import { describe, expect, it } from "vitest";
import { kafkaScheme } from "../src/uri.ts";

const parse = (body: string, params: [string, string][] = []) =>
  kafkaScheme.config({ scheme: "kafka", body, params } as never, "input" as never);

describe("kafka URIs", () => {
  it("name brokers, and a topic if they want to", () => {
    expect(parse("//k1:9092")).toEqual({ url: "k1:9092" });
    expect(parse("//k1:9092,k2:9093/orders")).toEqual({ url: "k1:9092,k2:9093", topic: "orders" });
    expect(parse("//[::1]:9092/a")).toEqual({ url: "[::1]:9092", topic: "a" });
  });

  it("take a login apart", () => {
    expect(parse("//u%40x:p%3Aw@k1:9092/t")).toEqual({ url: "k1:9092", topic: "t", username: "u@x", password: "p:w" });
  });

  it("leave the brokers to a parameter", () => {
    expect(parse("///orders", [["url", "k1:9092"]])).toEqual({ topic: "orders" });
  });

  it("are refused without brokers, without showing a password", () => {
    expect(() => parse("//")).toThrow(/brokers are named/);
    expect(() => parse("k1:9092")).toThrow(/begins with kafka/);
    expect(() => parse("//u:secret@bad host")).toThrow(/^(?!.*secret)/);
  });

  it("are made of a configuration again", () => {
    expect(kafkaScheme.uri!({ url: "k1:9092", topic: "a.b", group_id: "g" } as never, "input")).toEqual({
      scheme: "kafka",
      body: "//k1:9092/a.b",
      params: [],
    });
    expect(kafkaScheme.uri!({ topic: "a" } as never, "input")).toBeUndefined();
  });
});
