import { expect, it } from "vitest";
import { coreErrors } from "../../src/errors/errors.ts";
import { Accounting } from "../../src/route/accounting.ts";
import { Drops } from "../../src/route/drops.ts";
import { FakeLogger } from "../fakes/logger.ts";

const broken = coreErrors.HANDLER_FAILED({ route: "orders", id: "1" });

it("messages that a middleware of the input drops for good are told with their cause, like those of the sink", () => {
  const log = new FakeLogger();
  const drops = new Drops("orders", log);
  const route = new Accounting(undefined, drops);
  const connection = new Accounting(route);
  connection.receive(5);
  connection.drop(3, "id-7", broken);
  connection.drop(1, "id-9", broken);
  connection.settle("delivered", 1);
  expect(drops.list()).toEqual([{ code: broken.code, count: 4, cause: broken.message }]);
  expect(route.snapshot()).toMatchObject({ received: 5, dropped: 4, delivered: 1, inFlight: 0 });
  const texts = log.at("error");
  expect(texts[0]).toContain("Dropping 3 messages, the first of them id-7, due to");
  expect(texts[1]).toContain("Dropping message id-9 due to");
});

it("what a closed connection drops late is not told", () => {
  const drops = new Drops("orders", new FakeLogger());
  const connection = new Accounting(new Accounting(undefined, drops));
  connection.close(true);
  connection.drop(1, "id-1", broken);
  expect(drops.list()).toEqual([]);
});
