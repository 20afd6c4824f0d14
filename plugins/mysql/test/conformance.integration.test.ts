import { testConnector, testStateStore } from "@mqb/testkit";
import { describe, it } from "vitest";
import plugin from "../src/index.ts";
import { bad, connectorOn, kinds } from "./connectors.ts";
import { freshDatabase, SERVER } from "./server.ts";

for (const kind of kinds) {
  const named = (title: string, body: () => void) => describe(`${title}, ${kind.name}`, body);
  testConnector({ describe: named, it }, connectorOn(SERVER, kind, { bad }));
}

testStateStore(
  { describe, it },
  {
    plugin,
    scheme: "mysql",
    async fresh() {
      const database = await freshDatabase();
      return { url: database.url, cleanup: () => database.drop() };
    },
  },
);
