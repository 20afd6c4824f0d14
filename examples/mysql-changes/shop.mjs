// The shop whose table is captured: `open` makes it, `trade` changes it. With the client that the plugin brings.
import { createRequire } from "node:module";

const require = createRequire(new URL("../../plugins/mysql/package.json", import.meta.url));
const { createConnection } = require("mysql2/promise");

const STATEMENTS = {
  open: [
    "DROP TABLE IF EXISTS example_orders",
    "CREATE TABLE example_orders (id INT PRIMARY KEY, item VARCHAR(20) NOT NULL, cents INT NOT NULL)",
    "INSERT INTO example_orders VALUES (1, 'lamp', 2500), (2, 'chair', 7900)",
  ],
  trade: [
    "INSERT INTO example_orders VALUES (3, 'desk', 19900)",
    "UPDATE example_orders SET cents = 6900 WHERE id = 2",
    "DELETE FROM example_orders WHERE id = 1",
  ],
  close: ["DROP TABLE example_orders"],
};

const connection = await createConnection(process.env["MYSQL_URL"] ?? "mysql://root@127.0.0.1:3306/test");
const act = /** @type {keyof typeof STATEMENTS} */ (process.argv[2]);
for (const statement of STATEMENTS[act]) await connection.query(statement);
await connection.end();
