import { expect, it } from "vitest";
import { routeLines } from "./linted.ts";

const DEDUP = '{deduplication: {store: "memory:", ttl_seconds: 5, key: "${metadata:mqb.id}"}}';
const ID = '{id: "${payload:n}"}';
const lines = (list: string) => routeLines(`input: {memory: {topic: a}, middlewares: [${list}]}`);

it("warns of metadata that is read before it is set", () => {
  expect(lines(`${ID}, ${DEDUP}`)).toEqual([
    expect.stringMatching(
      /^warning MQB_LINT_UNSET .*deduplication\.key: "deduplication" reads the metadata mqb\.id before "id" sets it; .*write "id" below/,
    ),
  ]);
});

it("is content when it is set first, or when nobody sets it", () => {
  expect(lines(`${DEDUP}, ${ID}`)).toEqual([]);
  expect(lines(DEDUP)).toEqual([]);
});
