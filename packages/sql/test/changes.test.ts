import type { CheckContext, InputCapabilities, OpenContext } from "@mqb/core/plugin";
import { describe, expect, it } from "vitest";
import { check } from "../src/check.ts";
import { type SqlxConfig, sqlxSchema } from "../src/config.ts";
import type { ChangeCapture, ChangeSettings } from "../src/contract.ts";
import { sqlx } from "../src/endpoint.ts";

const opened: ChangeSettings[] = [];
const changes = {
  check: () => [],
  open: (settings: ChangeSettings) => {
    opened.push(settings);
    return Promise.reject(new Error("opened"));
  },
} as unknown as ChangeCapture;
const driver = { dialect: "postgres", bulkCopy: false, unused: [], urlFault: () => undefined, changes };
const config = (more: Readonly<Record<string, unknown>>): SqlxConfig =>
  sqlxSchema.parse({ url: "postgres://u@h/d", table: "s.t", publication: "p", ...more });

function codes(more: Readonly<Record<string, unknown>>, own: object = driver): string[] {
  const at = { side: "input", draining: false, service: () => own } as unknown as CheckContext;
  return check(config(more), at).map(({ level, path, code }) => `${level} ${path.join(".")} ${code}`);
}

describe("an input with a publication", () => {
  it("needs no column of its table, and warns of none", () => {
    expect(codes({ slot_name: "s", create_publication: true, source_metadata: true })).toEqual([]);
  });

  it.each([
    { cursor_column: "id" },
    { cursor_id: "c" },
    { checkpoint_store: "file:///c" },
    { delete_after_read: true },
    { timestamps: "rfc3339" },
    { select_query: "SELECT 1" },
  ])("reads no table: %j", (more) => {
    expect(codes(more)).toEqual([`error ${Object.keys(more)[0]} MQB_SQL_TOGETHER`]);
  });

  it("says what has no effect", () => {
    expect(codes({ max_connections: 3, polling_interval_ms: 5 })).toEqual([
      "note polling_interval_ms MQB_SQL_UNUSED",
      "note max_connections MQB_SQL_UNUSED",
    ]);
  });

  it("is refused where the database has no publications", () => {
    const { changes: _, ...without } = driver;
    expect(codes({}, { ...without, dialect: "mysql" })).toEqual(["error publication MQB_SQL_NOT_HERE"]);
  });

  it("is what its slot and the making of it need", () => {
    expect(codes({ publication: null, cursor_column: null, slot_name: "s", create_publication: true })).toEqual([
      "error slot_name MQB_SQL_NEEDS",
      "error create_publication MQB_SQL_NEEDS",
    ]);
  });

  it("is handed over with what it says", async () => {
    const more = { username: "n", password: "w", slot_name: "s", create_publication: true };
    const context = { service: () => driver } as unknown as OpenContext;
    await expect(sqlx.input!.open(config(more), context)).rejects.toThrow("opened");
    expect(opened).toEqual([
      {
        url: "postgres://u@h/d",
        username: "n",
        password: "w",
        table: "s.t",
        publication: "p",
        slotName: "s",
        createPublication: true,
        sourceMetadata: false,
      },
    ]);
  });

  it("has ids and a position that last, and resumes with a slot of its own", () => {
    const capabilities = sqlx.input!.capabilities as (one: SqlxConfig) => InputCapabilities;
    expect(capabilities(config({}))).toMatchObject({ stableIds: true, replayablePosition: true, commitsInOrder: true });
    const written = { url: "postgres://u@h/d", table: "t", publication: "p" };
    expect(sqlx.resume!(written, "Copy-1")).toEqual({ ...written, slot_name: "mqb_copy_1" });
  });
});
