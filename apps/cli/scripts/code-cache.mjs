// code-cache.mjs BUNDLE FOLDER: runs a small copy in FOLDER with the bundled command, then keeps what V8 has compiled; and the
// texts that depend on nothing.
import { renameSync, writeFileSync } from "node:fs";
import { keepTexts } from "./kept-texts.mjs";
import { cachePath, loadCommand } from "./load-command.mjs";

const [bundle, folder] = process.argv.slice(2);
process.chdir(folder);
writeFileSync("rows.csv", 'a,b\n1,"x"\n');
const { exports, script } = loadCommand(bundle);
keepTexts(bundle, exports.staticTexts());
process.on("exit", (code) => {
  if (code !== 0) return;
  const path = cachePath(bundle);
  writeFileSync(`${path}.new`, script.createCachedData());
  renameSync(`${path}.new`, path);
});
await exports.runProcess(["copy", "rows.csv?format=csv", "rows.jsonl?format=raw", "--drain"]);
