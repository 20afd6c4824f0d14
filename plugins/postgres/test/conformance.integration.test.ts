import { testConnector, testStateStore } from "@mqb/testkit";
import { describe, it } from "vitest";
import plugin from "../src/index.ts";
import { connectorOn, kinds } from "./connectors.ts";
import { freshDatabase, SERVER } from "./server.ts";

for (const kind of kinds) {
  const named = { describe: (title: string, body: () => void) => describe(`${title}, ${kind.name}`, body), it };
  testConnector(named, connectorOn(SERVER, kind));
}

testStateStore(
  { describe, it },
  {
    plugin,
    scheme: "postgres",
    async fresh() {
      const database = await freshDatabase();
      return { url: database.url, cleanup: () => database.drop() };
    },
  },
);
