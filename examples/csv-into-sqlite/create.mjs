// Makes the table, with SQLite of Node itself or of the package that brings it for Node 20.
import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";

const require = createRequire(new URL("../../plugins/sqlite/package.json", import.meta.url));

/** @param {string} path */
export function openDatabase(path) {
  const [major = 0, minor = 0] = process.versions.node.split(".").map(Number);
  const own = major > 22 || (major === 22 && minor >= 16);
  const { DatabaseSync } = require(own ? "node:sqlite" : "@photostructure/sqlite");
  return new DatabaseSync(path);
}

/** @param {string} path */
export function createTable(path) {
  const database = openDatabase(path);
  // Its writers do not wait for its readers, and less for the disk.
  database.exec("PRAGMA journal_mode = WAL");
  database.exec(
    "CREATE TABLE orders (id INTEGER PRIMARY KEY, ordered_at TEXT, customer TEXT, amount NUMERIC, paid INTEGER, coupon TEXT, note TEXT)",
  );
  database.close();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) createTable("out/orders.db");
