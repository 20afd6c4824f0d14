import { describe, expect, it } from "vitest";
import { fileScheme } from "../src/uri.ts";

const config = (body: string, ...params: [string, string][]) =>
  fileScheme.config({ scheme: "file", body, params }, "input");

describe("a file URI", () => {
  it.each([
    ["in.jsonl", { path: "in.jsonl" }],
    ["/abs/in.jsonl", { path: "/abs/in.jsonl" }],
    ["///abs/in.jsonl", { path: "/abs/in.jsonl" }],
    ["//localhost/abs", { path: "/abs" }],
    ["///dev/stdin", { path: "/dev/stdin" }],
    ["a%20b%7Cc", { path: "a b|c" }],
    ["100%.txt", { path: "100%.txt" }],
    ["out.csv.gz", { path: "out.csv.gz", compression: "gzip" }],
    ["out.zst", { path: "out.zst", compression: "zstd" }],
    ["out.lz4", { path: "out.lz4", compression: "lz4" }],
  ])("%s names %j", (body, expected) => {
    expect(config(body)).toEqual(expected);
  });

  it("leaves the codec to a parameter", () => {
    expect(config("out.gz", ["compression", "none"])).toEqual({ path: "out.gz" });
  });

  it.each([["//"], ["///"], [""], ["//localhost"]])("%j names no file", (body) => {
    expect(() => config(body)).toThrow(expect.objectContaining({ code: "MQB_FILE_NO_PATH", kind: "config" }));
  });

  it("does not reach other hosts", () => {
    expect(() => config("//server/share")).toThrow(/"server"/);
  });

  it.each(["//user:p@ss-w0rd@server/share", "//user:p/ss-w0rd@server/share", "//user@server"])(
    "does not repeat what stands before a host: %s",
    (body) => {
      expect(() => config(body)).toThrow(/names the host "server"; only/);
    },
  );
});
