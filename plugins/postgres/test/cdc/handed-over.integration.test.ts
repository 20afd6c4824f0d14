import { createBridge, createRegistry } from "@mqb/core";
import standard from "@mqb/standard";
import { recordingLogger, within } from "@mqb/testkit";
import { afterEach, beforeEach, expect, it } from "vitest";
import plugin from "../../src/index.ts";
import { freshLab, type Lab } from "./slots.ts";

let lab: Lab;
beforeEach(async () => {
  lab = await freshLab();
});
afterEach(() => lab.drop());

it("an sqlx input with a publication reads changes, with a login that stands beside the URL", async () => {
  await lab.sql("CREATE TABLE t (id int PRIMARY KEY); CREATE TABLE other (id int PRIMARY KEY)");
  const { username, password, host, pathname } = new URL(lab.url);
  const log = recordingLogger();
  const bridge = createBridge({ registry: createRegistry([standard, plugin]), log });
  const consumer = await bridge.openConsumer({
    sqlx: {
      url: `postgresql://nobody:wrong@${host}${pathname}`,
      username: decodeURIComponent(username),
      password: decodeURIComponent(password),
      table: "t",
      publication: "p",
      slot_name: lab.slot,
      create_publication: true,
      source_metadata: true,
    },
  });
  await lab.sql("INSERT INTO other VALUES (1); INSERT INTO t VALUES (7)");
  const { batch, commit } = await within(consumer.receive(10, new AbortController().signal), "the change", 10_000);
  const [message] = [...batch];
  expect(message!.text()).toBe('{"id":7}');
  expect(message!.metadata.get("mqb.src.postgres_slot")).toBe(lab.slot);
  await commit();
  await consumer.close();
  expect(log.text()).not.toContain("more than table");
  await bridge.stop();
});

it("an sqlx input with a publication says which tables it has beside the one that is named", async () => {
  await lab.sql(
    "CREATE TABLE t (id int PRIMARY KEY); CREATE TABLE other (id int PRIMARY KEY); CREATE PUBLICATION p FOR TABLE t, other",
  );
  const log = recordingLogger();
  const bridge = createBridge({ registry: createRegistry([standard, plugin]), log });
  const sqlx = { url: lab.url, table: "t", publication: "p", slot_name: lab.slot };
  await (await bridge.openConsumer({ sqlx })).close();
  expect(log.text()).toContain('publication "p" has more than table "t", and their changes come, too: public.other');
  await bridge.stop();
});
