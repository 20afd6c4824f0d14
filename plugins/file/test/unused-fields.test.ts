import { describe, expect, it } from "vitest";
import { checkFile } from "../src/check.ts";
import { type FileOptions, fileConfig } from "../src/config.ts";

const service = () => undefined;

describe("a field of the other side", () => {
  it.each<[Partial<FileOptions>, "input" | "output"]>([
    [{ fsync: "batch" }, "input"],
    [{ fsync_interval_ms: 5 }, "input"],
    [{ name_by: "source_position" }, "input"],
    [{ idempotency: false }, "input"],
    [{ mode: "consume" }, "output"],
    [{ delete: true }, "output"],
    [{ group_id: "g" }, "output"],
    [{ read_from_tail: true }, "output"],
    [{ source_metadata: true }, "output"],
    [{ max_message_bytes: 5 }, "output"],
    [{ on_oversize: "skip" }, "output"],
  ])("is warned about: %j on an %s", (options, side) => {
    const findings = checkFile(fileConfig.parse({ path: "f", ...options }), { side, service });
    expect(findings.filter(({ code }) => code === "MQB_FILE_UNUSED")).toEqual([
      expect.objectContaining({ level: "warning", path: Object.keys(options) }),
    ]);
    const other = checkFile(fileConfig.parse({ path: "f", ...options }), {
      side: side === "input" ? "output" : "input",
      service,
    });
    expect(other.filter(({ code }) => code === "MQB_FILE_UNUSED")).toEqual([]);
  });

  it("says nothing when it is written out with the value that it has anyway", () => {
    const same = {
      delete: false,
      read_from_tail: false,
      source_metadata: false,
      on_oversize: "fail",
      fsync: "off",
    } as const;
    for (const side of ["input", "output"] as const)
      expect(checkFile(fileConfig.parse({ path: "f", name_by: "auto", ...same }), { side, service })).toEqual([]);
  });
});
