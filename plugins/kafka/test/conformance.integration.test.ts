import { testConnector } from "@mqb/testkit";
import { describe, it } from "vitest";
import { AdvertisingProxy } from "./advertising-proxy.ts";
import { connectorOn } from "./connector.ts";
import { addressOf, KAFKA_URL, withKafka } from "./server.ts";

const proxy = await AdvertisingProxy.to(addressOf(KAFKA_URL));
const tested = connectorOn(KAFKA_URL, { server: proxy.address }, (port) => proxy.advertise(port));

await withKafka(() => testConnector({ describe, it }, tested));
