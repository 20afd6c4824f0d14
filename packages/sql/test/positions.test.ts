import { inLayout } from "@mqb/standard";
import { describe, expect, it } from "vitest";
import { cursorKey, cursorTable } from "../src/checkpoint/names.ts";
import { readStored, writeStored } from "../src/checkpoint/position.ts";
import { splitTable } from "../src/state/url.ts";

const SOURCE = "sqlx:t:id";

describe("a stored position", () => {
  it("is read as it was written", () => {
    const text = writeStored({ kind: "str", value: "a:b" }, SOURCE, 5);
    expect(text).toBe('{"mqb_checkpoint":1,"source":"sqlx:t:id","value":"str:a:b","updated_at_ms":5}');
    expect(readStored(text, "t:c", SOURCE)).toEqual({ position: { kind: "str", value: "a:b" }, updatedAt: 5 });
  });

  it.each(["int:5", "uint:18446744073709551615", "str:x"])("may be a bare one of an older version: %s", (text) => {
    expect(readStored(text, "t:c", SOURCE).position.value).toBe(text.slice(text.indexOf(":") + 1));
  });

  it.each(["garbage", "5", "int:x", "{", '{"mqb_checkpoint":2}'])("is refused when it is none: %s", (text) => {
    expect(() => readStored(text, "t:c", SOURCE)).toThrow(/t:c/);
  });

  it("of another source is refused with both names", () => {
    const other = writeStored({ kind: "int", value: "1" }, "sqlx:u:id", 5);
    expect(() => readStored(other, "t:c", SOURCE)).toThrow(/sqlx:u:id.*sqlx:t:id/);
  });
});

describe("the place of a position", () => {
  it("is a table that two sources never share", () => {
    expect(cursorTable("t")).toBe("mqb_cursors_t");
    expect(cursorTable("public.orders")).not.toBe(cursorTable("public_orders"));
    const long = cursorTable("public.a_very_long_table_name_that_goes_on_and_on_until_it_is_near_63");
    expect(long).toBe("mqb_cursors_public_a_very_long_table_name_that_2dda716f12d81524");
    expect(cursorKey("a.b", "C 1")).toBe("a_b:C 1");
  });

  it("of a store's URL is the table that it names, else ours", () => {
    const asked = (url: string) => splitTable(inLayout(url, "positions", "ours"));
    expect(asked("postgres://h/d/mine")).toEqual({
      url: "postgres://h/d",
      table: "mine",
      defaultTable: "ours",
      layout: "positions",
    });
    expect(asked("sqlite:///x.db?mode=rwc")).toEqual({
      url: "sqlite:///x.db?mode=rwc",
      defaultTable: "ours",
      layout: "positions",
    });
    expect(inLayout("file:///x.json", "positions", "ours")).toBe("file:///x.json");
    expect(splitTable("postgres://h/d")).toEqual({ url: "postgres://h/d" });
  });
});
