import type { Message } from "@mqb/core/plugin";
import { afterEach, beforeEach, expect, it } from "vitest";
import { read } from "../ends.ts";
import { Capture } from "./capture.ts";
import { freshLab, type Lab } from "./slots.ts";

const MADE = `
  CREATE TYPE mood AS ENUM ('sad', 'very happy'); CREATE TYPE pair AS (n int, t text);
  CREATE DOMAIN posint AS int CHECK (value > 0); CREATE DOMAIN posint2 AS posint;
  CREATE DOMAIN ints AS int[]; CREATE DOMAIN doc AS jsonb; CREATE DOMAIN stamp AS timestamptz; CREATE DOMAIN corner AS box`;
const COLUMNS =
  "m mood, ms mood[], p posint, ps posint2[], i ints, d doc, ds doc[], c pair, cs pair[], r int4range, rs int4range[], s stamp[], b corner[]";
const VALUES = `'very happy', '{sad,"very happy",NULL}', 5, '{{1,NULL},{3,4}}', '{1,2}', '{"a": [1.50]}', array['{"a": 1}', '"x"']::doc[],
  (1, 'x y'), array[(1, 'x "y"')::pair, (NULL, '')::pair], '[1,5)', '{"[1,5)",empty}', '{2024-01-02 03:04:05.5+02}', '{(2,2),(1,1);(4,4),(3,3)}'`;
const JSON_OF_THEM = [
  `"m":"very happy","ms":["sad","very happy",null],"p":"5","ps":[[1,null],[3,4]],"i":[1,2]`,
  String.raw`"d":{"a": [1.50]},"ds":[{"a": 1},"x"],"c":"(1,\"x y\")","cs":["(1,\"x \"\"y\"\"\")","(,\"\")"]`,
  `"r":"[1,5)","rs":["[1,5)","empty"],"s":["2024-01-02 01:04:05.5+00"],"b":["(2,2),(1,1)","(4,4),(3,3)"]`,
].join(",");

let lab: Lab;
beforeEach(async () => {
  lab = await freshLab();
});
afterEach(() => lab.drop());

const texts = (messages: readonly Message[]): string[] => messages.map((message) => message.text());
const config = (more: Readonly<Record<string, unknown>> = {}) => ({
  url: lab.url,
  publication: "p",
  slot_name: lab.slot,
  ...more,
});

it("values of types of one's own are the same in rows that are read first, in changes, and for a cursor", async () => {
  await lab.sql(`${MADE}; CREATE TABLE t (id int PRIMARY KEY, ${COLUMNS}); CREATE PUBLICATION p FOR TABLE t`);
  await lab.sql(`INSERT INTO t VALUES (1, ${VALUES})`);
  const capture = await Capture.open(config({ consume: "capture_all" }));
  const [row] = texts(await capture.take(1));
  expect(row).toBe(`{"id":1,${JSON_OF_THEM}}`);
  const more = capture.take(2);
  await lab.sql(`INSERT INTO t VALUES (2, ${VALUES}), (3${", NULL".repeat(13)})`);
  expect(texts(await more)[0]).toBe(row!.replace('"id":1', '"id":2'));
  await capture.close();
  const [read1] = await read({ url: lab.url, table: "t", cursor_column: "id" });
  expect(JSON.parse(read1!)).toEqual(JSON.parse(row!));
});

it.each([
  ["at once", "", 1],
  [
    "behind two megabytes of the same transaction",
    "INSERT INTO big SELECT n, repeat('x', 1000) FROM generate_series(1, 5000) n;",
    5001,
  ],
])("types that are made while the stream is read are known: %s", async (_, before, count) => {
  await lab.sql("CREATE TABLE big (id int PRIMARY KEY, v text); CREATE PUBLICATION p FOR ALL TABLES");
  const capture = await Capture.open(config());
  await lab.sql(
    `BEGIN; ${before} ${MADE}; CREATE TABLE t (id int PRIMARY KEY, ${COLUMNS}); INSERT INTO t VALUES (1, ${VALUES}); COMMIT`,
  );
  expect(texts(await capture.take(count)).at(-1)).toBe(`{"id":1,${JSON_OF_THEM}}`);
  await capture.close();
});

it("rows of a table whose key is an array go on behind the last one", async () => {
  await lab.sql(`${MADE}; CREATE TABLE t (id posint[] PRIMARY KEY); CREATE PUBLICATION p FOR TABLE t`);
  await lab.sql("INSERT INTO t VALUES ('{1}'), ('{1,2}'), ('{3}')");
  const session = new Map<string, unknown>();
  const first = await Capture.open(config({ consume: "capture_all" }), { session });
  const delivery = await first.receive(2);
  expect(texts([...delivery.batch])).toEqual(['{"id":[1]}', '{"id":[1,2]}']);
  await delivery.commit();
  await first.close();
  const second = await Capture.open(config({ consume: "capture_all" }), { session });
  expect(texts(await second.take(1))).toEqual(['{"id":[3]}']);
  await second.close();
});
