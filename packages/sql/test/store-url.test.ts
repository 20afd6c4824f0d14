import { describe, expect, it } from "vitest";
import { splitTable } from "../src/state/url.ts";

describe("the URL of a store", () => {
  it("may name the table behind the database", () => {
    expect(splitTable("mysql://u@h/shop/seen")).toEqual({ url: "mysql://u@h/shop", table: "seen" });
    expect(splitTable("postgres://u@h/shop?table=seen")).toEqual({ url: "postgres://u@h/shop", table: "seen" });
    expect(splitTable("sqlite:///var/lib/a.db")).toEqual({ url: "sqlite:///var/lib/a.db" });
  });

  it("names no table where a password may be cut in two: that would be shown", () => {
    const url = "mysql://u:12/a/geheim@h";
    expect(splitTable(url)).toEqual({ url });
  });
});
