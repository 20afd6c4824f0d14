import { expect, it } from "vitest";
import { bootstrap } from "../bootstrap.mjs";
import { root } from "../workspace.mjs";
import { ran } from "./workspace-copy.ts";

it("the demo moves a CSV file into SQLite and back, says what became of its rows, and that they agree", async () => {
  const { code, output } = await ran(process.execPath, ["scripts/demo.mjs", "--rows", "3000"], root, bootstrap());
  if (code !== 0) throw new Error(`the demo ended with ${code}:\n${output}`);
  const said = [
    /rows in the CSV file +3,000 /,
    /filtered +60 +orders of the test account/,
    /dead letters +50 /,
    /20 +transform failed at \$\.amount \[coercion\]/,
    /10 +transform failed at \$\.amount \[type_mismatch\]/,
    /20 +transform failed at \$\.paid \[coercion\]/,
    /rows in the table +2,890 /,
    /JSON lines +2,890 /,
    /sum of the amounts +CSV ([\d,.]+), table \1, JSON \1\n/,
    /last id, of 54 bits +CSV 9007199254743991, JSON 9007199254743991\n/,
    /no coupon: NULL +CSV ([\d,]{5,}), table \1, JSON \1\n/,
    /no note: empty text +CSV (\d{3}), table \1, JSON \1\n/,
    /They agree, row by row and field by field/,
  ];
  for (const words of said) expect(output).toMatch(words);
}, 300_000);
