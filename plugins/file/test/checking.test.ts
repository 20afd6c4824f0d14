import type { Side } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { checkFile } from "../src/check.ts";
import { fileConfig } from "../src/config.ts";

const KEY = "AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8=";

/** What is said about a configuration: the level and the text, with the names of the fields. */
function said(side: Side, config: Record<string, unknown>): string[] {
  const parsed = fileConfig.safeParse(config);
  if (!parsed.success) return parsed.error.issues.map((issue) => `error ${issue.path.join(".")}: ${issue.message}`);
  return checkFile(parsed.data, { side, service: () => undefined }).map(
    ({ level, path, message, hint }) => `${level} ${path.join(".")}: ${message} ${hint ?? ""}`,
  );
}

describe("a configuration", () => {
  it.each<[string, Side, Record<string, unknown>, string, ...string[]]>([
    [
      "encryption metadata",
      "output",
      { path: "d", encryption: { key: KEY, authenticate_metadata: ["tenant"] } },
      "error",
      "encryption.authenticate_metadata",
      "middleware only",
    ],
    [
      "an encryption policy",
      "input",
      { path: "d", encryption: { key: KEY, on_error: "fail" } },
      "error",
      "encryption.on_error",
      "middleware only",
    ],
    [
      "encryption without its plugin",
      "output",
      { path: "d", encryption: { key: KEY } },
      "error",
      "encryption",
      "plugin",
    ],
    [
      "compression with subscribe",
      "input",
      { path: "d", compression: "gzip", mode: "subscribe" },
      "error",
      "file.compression",
      "mode",
      "consume",
    ],
    [
      "compression with delete",
      "input",
      { path: "d", compression: "gzip", mode: "consume", delete: true },
      "error",
      "file.compression",
      "delete",
    ],
    [
      "compression with delete without a mode",
      "input",
      { path: "d", compression: "gzip", delete: true },
      "error",
      "file.compression",
      "delete",
    ],
    [
      "an unknown codec",
      "output",
      { path: "d", compression: "brotli" },
      "error",
      "compression",
      "none",
      "gzip",
      "lz4",
      "zstd",
    ],
    ["parquet", "output", { path: "d", format: "parquet" }, "error", "format", "parquet", "object_store only"],
    ["an unknown format", "input", { path: "d", format: "xml" }, "error", "format", "normal, json, text, raw, csv"],
    [
      "a csv block without csv",
      "output",
      { path: "f", format: "raw", csv: { separator: ";" } },
      "warning",
      "csv",
      "format",
    ],
    [
      "csv parts",
      "output",
      { path: "dir", format: "csv", name_by: "source_position" },
      "error",
      "format: csv",
      "name_by: source_position",
    ],
    [
      "a bad separator",
      "input",
      { path: "f", format: "csv", csv: { separator: "::" } },
      "error",
      "csv.separator",
      "::",
    ],
    [
      "a bad nested",
      "output",
      { path: "f", format: "csv", csv: { nested: "drop" } },
      "error",
      "csv.nested",
      "flatten",
      "json",
    ],
    [
      "a bad on_mismatch",
      "output",
      { path: "f", format: "csv", csv: { on_mismatch: "skip" } },
      "error",
      "csv.on_mismatch",
      "warn",
      "fail",
    ],
    [
      "an unknown ragged policy",
      "input",
      { path: "f", format: "csv", csv: { on_ragged: "dlq" } },
      "error",
      "csv.on_ragged",
    ],
    [
      "a delimiter with the separator",
      "input",
      { path: "f", format: "csv", delimiter: ";", csv: { separator: ";" } },
      "error",
      "delimiter",
      "csv.separator",
    ],
    ["an empty delimiter", "input", { path: "f", delimiter: "" }, "error", "delimiter"],
    ["a group without a name", "input", { path: "f", mode: "group_subscribe" }, "error", "group_id"],
    [
      "a group that leads elsewhere",
      "input",
      { path: "f", mode: "group_subscribe", group_id: "../x" },
      "error",
      "group_id",
    ],
    [
      "a group in another mode",
      "input",
      { path: "f", mode: "consume", group_id: "g" },
      "error",
      "group_id",
      "group_subscribe",
    ],
    [
      "a start at the end in another mode",
      "input",
      { path: "f", mode: "subscribe", read_from_tail: true },
      "error",
      "read_from_tail",
    ],
    [
      "a group that deletes",
      "input",
      { path: "f", mode: "group_subscribe", group_id: "g", delete: true },
      "error",
      "delete",
    ],
    ["delete without a mode", "input", { path: "f", delete: true }, "warning", "delete", "mode: consume"],
    [
      "a CSV subscription that deletes",
      "input",
      { path: "f", format: "csv", mode: "subscribe", delete: true },
      "error",
      "delete",
      "csv",
    ],
    [
      "passing over CSV rows",
      "input",
      { path: "f", format: "csv", on_oversize: "skip" },
      "error",
      "on_oversize",
      "csv",
    ],
    [
      "the old spelling of name_by",
      "output",
      { path: "f", idempotency: true },
      "warning",
      "idempotency",
      "name_by: source_position",
    ],
    [
      "an interval without periodic",
      "output",
      { path: "f", fsync_interval_ms: 5 },
      "warning",
      "fsync_interval_ms",
      "periodic",
    ],
    ["no path", "input", {}, "error", "path"],
    ["an unknown field", "input", { path: "f", pth: "g" }, "error", "pth"],
    ["no room for a message", "input", { path: "f", max_message_bytes: 0 }, "error", "max_message_bytes"],
  ])("with %s (%s)", (_, side, config, level, ...texts) => {
    const [only, ...others] = said(side, config);
    expect(others).toEqual([]);
    expect(only).toMatch(new RegExp(`^${level} `));
    for (const text of texts) expect(only).toContain(text);
    expect(only).not.toContain(KEY);
  });

  it.each<[string, Side, Record<string, unknown>]>([
    ["only a path", "input", { path: "f" }],
    [
      "everything that has a default as null",
      "input",
      {
        path: "f",
        delete: null,
        group_id: null,
        read_from_tail: null,
        delimiter: null,
        source_metadata: null,
        encryption: null,
        csv: null,
      },
    ],
    [
      "the same on an output",
      "output",
      { path: "f", idempotency: null, fsync: null, fsync_interval_ms: null, delimiter: null },
    ],
    ["a group", "input", { path: "f", mode: "group_subscribe", group_id: "g", read_from_tail: true }],
    ["old spellings of formats", "output", { path: "f", format: "envelope_json" }],
    ["name_by over idempotency", "output", { path: "f", name_by: "write_time" }],
  ])("with %s is taken", (_, side, config) => {
    expect(said(side, config)).toEqual([]);
  });
});
