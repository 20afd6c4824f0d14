import { fakeContext } from "@mqb/testkit";
import { expect, it } from "vitest";
import type { SqlxConfig } from "../src/config.ts";
import { openInput } from "../src/open-input.ts";

it("a store of positions is closed when the input cannot be opened after all", async () => {
  const closed: string[] = [];
  const database = {
    preparePages: async () => ({ kind: "int" }),
    close: async () => void closed.push("database"),
  };
  const driver = { dialect: "postgres", target: () => "postgres://h/d", connect: async () => database };
  const store = {
    getMany: async () => [{ key: "t:c", value: Buffer.from("str:abc"), version: "1" }],
    close: async () => void closed.push("store"),
  };
  const context = fakeContext({ service: () => driver as never, openStore: async () => store as never });
  const config = { url: "postgres://h/d", table: "t", cursor_column: "id", cursor_id: "c", shared: false };
  const opening = openInput({ ...config, checkpoint_store: "file:positions.json" } as SqlxConfig, context);
  await expect(opening).rejects.toMatchObject({ code: "MQB_SQL_CHECKPOINT_VALUE" });
  expect(closed).toEqual(["store", "database"]);
});
