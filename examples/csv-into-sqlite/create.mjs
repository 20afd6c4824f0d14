// Makes the table, with SQLite of Node itself or of the package that brings it for Node 20.
import { createRequire } from "node:module";

const require = createRequire(new URL("../../plugins/sqlite/package.json", import.meta.url));
const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
const own = major > 22 || (major === 22 && minor >= 16);
const { DatabaseSync } = require(own ? "node:sqlite" : "@photostructure/sqlite");
const database = new DatabaseSync("out/orders.db");
database.exec(
  "CREATE TABLE orders (id INTEGER PRIMARY KEY, ordered_at TEXT, customer TEXT, amount NUMERIC, paid INTEGER, note TEXT)",
);
database.close();
