import { testConnector } from "@mqb/testkit";
import { describe, it } from "vitest";
import { SERVER } from "../server.ts";
import { fixtureAt, withFiles } from "./fixture.ts";

testConnector(
  { describe, it },
  {
    plugin: withFiles,
    endpoint: "mysql_cdc",
    config: { input: { url: SERVER, cursor_id: "c", checkpoint_store: "state.json" } },
    fixture: fixtureAt(SERVER),
  },
);
