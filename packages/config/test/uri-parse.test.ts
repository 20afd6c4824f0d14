import { describe, expect, it } from "vitest";
import { parseUri } from "../src/index.ts";

const parse = (uri: string, environment: Record<string, string> = {}) => parseUri(uri, "input", environment);

describe("taking a URI apart", () => {
  it.each(["orders.csv", "./orders", "data/orders", "../a.b?format=csv", "/tmp/x?format=csv|retry"])(
    "takes %s, a path without a scheme, for a file",
    (path) => {
      expect(parse(path)).toEqual({ ...parse(`file:${path}`), shown: path, text: path });
    },
  );

  it("splits scheme, body and parameters", () => {
    expect(parse("kafka://h:9092/orders?group_id=a&format=")).toMatchObject({
      scheme: "kafka",
      body: "//h:9092/orders",
      params: [
        ["group_id", "a"],
        ["format", ""],
      ],
      middlewares: [],
    });
  });

  it("keeps middlewares in written order and takes - for _", () => {
    const { middlewares } = parse("file:a|weak-join?x=1|metrics|filter?amount > 1 and b=='c'");
    expect(middlewares).toEqual([
      { name: "weak_join", query: "x=1", params: [["x", "1"]] },
      { name: "metrics", params: [] },
      { name: "filter", query: "amount > 1 and b=='c'", params: [["amount > 1 and b", "='c'"]] },
    ]);
  });

  it("decodes parameters, and only valid codes", () => {
    expect(parse("file:a%20b?x=%7Cp%26q&y=50%&z=a+b&w=%C3%A4%FF").params).toEqual([
      ["x", "|p&q"],
      ["y", "50%"],
      ["z", "a+b"],
      ["w", "%C3%A4%FF"],
    ]);
    expect(parse("file:a%20b").body).toBe("a%20b");
  });

  it("reads - as standard input or output by its side", () => {
    expect(parse("-?format=csv")).toMatchObject({ scheme: "file", body: "///dev/stdin", params: [["format", "csv"]] });
    expect(parse("-|filter?a").middlewares).toHaveLength(1);
    expect(parseUri("-", "output")).toMatchObject({ scheme: "file", body: "///dev/stdout" });
  });

  it.each([
    ["", /is empty/],
    ["orders?format=raw", /"orders\?format=raw" is no endpoint URI.*no scheme/],
    ["file:a|", /not followed by a middleware/],
    ["file:a||retry", /not followed by a middleware/],
  ])("refuses %j", (uri, message) => {
    expect(() => parse(uri)).toThrow(message);
  });

  it("takes a drive letter for a forgotten scheme", () => {
    expect(() => parse("C:\\data\\a.jsonl")).toThrow(
      expect.objectContaining({ hint: "for a file write file:///C:/data/a.jsonl" }),
    );
  });
});

describe("variables in a URI", () => {
  it("are put in before the URI is taken apart", () => {
    expect(parse("${A}?x=$B&y=${C:-d}", { A: "file:p|retry", B: "1" })).toMatchObject({ scheme: "file", body: "p" });
    expect(parse("file:$B?y=${C:-d}&z=${B:-q}", { B: "1" })).toMatchObject({
      body: "1",
      params: [
        ["y", "d"],
        ["z", "1"],
      ],
    });
  });

  it("are an error when they are not set", () => {
    expect(() => parse("file:${NOPE_VAR}")).toThrow(/variable NOPE_VAR .* is not set/);
    expect(() => parse("file:a?x=$nope")).toThrow(/variable nope/);
  });

  it("leave a literal $ alone where it is written %24, and where no name follows", () => {
    expect(parse("static:?body=hi $%7Bgen:counter%7D&price=5$ %24HOME", { HOME: "/h" }).params).toEqual([
      ["body", "hi ${gen:counter}"],
      ["price", "5$ $HOME"],
    ]);
  });

  it("ask for the escaped spelling of a message template", () => {
    expect(() => parse("static:?body=${gen:counter}")).toThrow(
      expect.objectContaining({ code: "MQB_CONFIG_URI_TEMPLATE", hint: "write $%7Bgen:counter%7D" }),
    );
  });

  it("never show the value of another parameter in the error", () => {
    expect(() => parse("db://u:hunter22@h/d?t=${NOPE}")).toThrow(
      expect.objectContaining({ message: expect.not.stringContaining("hunter22") }),
    );
  });
});
