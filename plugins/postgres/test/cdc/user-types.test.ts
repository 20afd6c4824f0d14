import { TempDir } from "@mqb/testkit";
import { describe, expect, it } from "vitest";
import { MOST_OPEN } from "../../src/cdc/decode/decoder.ts";
import type { UserType } from "../../src/user-types.ts";
import { Feed, pgoutput, said } from "./feed.ts";

const [INT, TEXT, NUMERIC, BYTEA, BOX, JSONB] = [23, 25, 1700, 17, 603, 3802];
const ID = ["id", INT, true] as const;

function array(element: number, delimiter = ","): UserType {
  return { kind: "array", element, delimiter };
}

async function valueAs(type: UserType | undefined, text: string): Promise<string> {
  const feed = new Feed({ catalog: new Map(type ? [[20_000, type]] : []) });
  await feed.message(pgoutput.begin());
  await feed.message(pgoutput.relation(1, [ID, ["v", 20_000, false]]));
  await feed.message(pgoutput.insert(1, ["1", text]));
  await feed.message(pgoutput.commit(100));
  return said(feed.take()[0]!);
}

describe("the value of a type that is not built in", () => {
  it.each([
    ["an array of a domain over int", array(INT), "{5,NULL,{7}}", "[5,null,[7]]"],
    ["an array of a domain over numeric", array(NUMERIC), "{1.50,NaN}", '[1.50,"NaN"]'],
    ["an array of an enum", array(TEXT), '{sad,"very happy",NULL}', '["sad","very happy",null]'],
    ["an array of a composite type", array(20_001), '{"(1,\\"x y\\")","(,)"}', '["(1,\\"x y\\")","(,)"]'],
    ["an array of a range", array(20_002), '{"[1,5)",empty}', '["[1,5)","empty"]'],
    ["an array of a domain over bytea", array(BYTEA), '{"\\\\x00ff"}', '["\\\\x00ff"]'],
    ["an array of a domain over jsonb", array(JSONB), '{"{\\"a\\": [1.50]}",3}', '[{"a": [1.50]},3]'],
    ["an array of a domain over box", array(BOX, ";"), "{(2,2),(1,1);(4,4),(3,3)}", '["(2,2),(1,1)","(4,4),(3,3)"]'],
    ["a domain over json", { kind: "json" }, '{"a":\n1}', '{"a": 1}'],
    ["a domain over int, as the original has it", { kind: "text" }, "5", '"5"'],
    ["one that is not there any more", undefined, "{a}", '"{a}"'],
  ] as const)("of %s", async (_, type, text, json) => {
    expect(await valueAs(type, text)).toBe(`insert [1] {"id":1,"v":${json}}`);
  });

  it("waits for nothing where every type is built in", async () => {
    const feed = new Feed();
    feed.decoder.message(pgoutput.begin(), 0, pgoutput.begin().length);
    const relation = pgoutput.relation(1, [ID, ["v", 1009, false]]);
    feed.decoder.message(relation, 0, relation.length);
    expect(feed.decoder.asks).toBeUndefined();
  });

  it("is known, too, where the table is described in the part of a transaction that lies in a file", async () => {
    await using dir = await TempDir.make();
    const feed = new Feed({ folder: dir.path, catalog: new Map([[20_000, array(INT)]]) });
    await feed.message(pgoutput.begin());
    await feed.message(pgoutput.relation(1, [ID, ["v", TEXT, false]]));
    await feed.message(pgoutput.insert(1, ["1", "x".repeat(MOST_OPEN)]));
    await feed.message(pgoutput.insert(1, ["2", "y"]));
    await feed.message(pgoutput.relation(1, [ID, ["v", 20_000, false]]));
    await feed.message(pgoutput.insert(1, ["3", "{1,2}"]));
    await feed.message(pgoutput.commit(100));
    expect(feed.take().slice(1).map(said)).toEqual(['insert [2] {"id":2,"v":"y"}', 'insert [3] {"id":3,"v":[1,2]}']);
  });
});
