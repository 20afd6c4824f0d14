import { describe, expect, it } from "vitest";
import { MqbError } from "../../src/errors/mqb-error.ts";
import { FakeConsumer } from "../fakes/consumer.ts";
import { deferred, never } from "../fakes/deferred.ts";
import { harness } from "../fakes/harness.ts";
import { FakePublisher } from "../fakes/publisher.ts";
import { settled, until } from "../fakes/until.ts";

const refused = new MqbError("MQB_FAKE_REFUSED", "connection", "connection refused");
const fail = (error: unknown) => (): never => {
  throw error;
};

describe("a start", () => {
  it("opens the output before the input, and says the guarantee", async () => {
    const opened: string[] = [];
    const { route, clock, log } = harness({
      consumer: () => {
        opened.push("input");
        return new FakeConsumer();
      },
      publisher: async () => {
        await Promise.resolve();
        opened.push("output");
        return new FakePublisher();
      },
    });
    expect(await route.start()).toBe("running");
    expect(opened).toEqual(["output", "input"]);
    expect(log.at("info")).toEqual(['route r: at_least_once (the output "sink" may write a repeated message twice)']);
    await clock.run(route.stop());
  });

  it("can be made once", async () => {
    const { route, clock } = harness();
    await route.start();
    await expect(route.start()).rejects.toMatchObject({ code: "MQB_CORE_ALREADY_STARTED" });
    await clock.run(route.stop());
    await expect(route.start()).rejects.toMatchObject({ code: "MQB_CORE_ALREADY_STARTED" });
  });

  it("that is begun twice at the same time opens once", async () => {
    let opened = 0;
    const consumer = () => {
      opened += 1;
      return new FakeConsumer();
    };
    const { route, clock } = harness({ consumer });
    const [first, second] = await Promise.allSettled([route.start(), route.start()]);
    expect([first.status, second.status, opened]).toEqual(["fulfilled", "rejected", 1]);
    await clock.run(route.stop());
  });

  it("leaves no timer behind", async () => {
    const { route, clock } = harness();
    await route.start();
    expect(clock.pending).toBe(0);
    await clock.run(route.stop());
    expect(clock.pending).toBe(0);
  });
});

describe("a start with a wrong configuration", () => {
  it.each(["config", "permanent"] as const)(
    "fails at once with the real error (%s), and never tries again",
    async (kind) => {
      const error = new MqbError("MQB_FAKE_WRONG", kind, "bad filter");
      for (const side of ["consumer", "publisher"] as const) {
        let opened = 0;
        const { route, clock, log } = harness({
          [side]: () => {
            opened += 1;
            throw error;
          },
          run: { unreachable: "keep" },
        });
        await expect(route.start()).rejects.toBe(error);
        expect(clock.time).toBe(0);
        await clock.advance(60_000);
        expect([opened, route.state]).toEqual([1, "failed"]);
        // The one who started it has the error; a log line would say it twice.
        expect(log.at("error")).toEqual([]);
        expect(await route.done).toMatchObject({ outcome: "failed", error });
      }
    },
  );

  it("closes the output that was opened already", async () => {
    const h = harness({ consumer: fail(new MqbError("X", "config", "no")) });
    await expect(h.route.start()).rejects.toThrow("no");
    expect(h.publisher.closed).toBe(1);
  });
});

describe("a start with an end that cannot be reached", () => {
  it("tries until the start timeout, then fails with the real cause", async () => {
    let tries = 0;
    const { route, clock } = harness({
      publisher: () => {
        tries += 1;
        throw refused;
      },
    });
    const starting = expect(route.start()).rejects.toBe(refused);
    await clock.advance(4999);
    expect(route.status()).toMatchObject({ state: "connecting", healthy: false, error: "connection refused" });
    await clock.advance(1);
    await starting;
    expect(tries).toBe(20);
    expect(route.status()).toMatchObject({ state: "failed", reconnects: 0, error: "connection refused" });
  });

  it("that does not answer fails with what was waited for", async () => {
    for (const [ends, waitingFor] of [
      [{ publisher: () => never<FakePublisher>() }, "the output"],
      [{ consumer: () => never<FakeConsumer>() }, "the input"],
    ] as const) {
      const { route, clock } = harness({ ...ends, route: { startup_timeout_ms: 300 } });
      const starting = route.start().catch((error: unknown) => error);
      await clock.advance(299);
      expect(route.state).toBe("connecting");
      await clock.advance(1);
      expect(await starting).toMatchObject({
        code: "MQB_CORE_START_TIMEOUT",
        message: `route "r" did not start in time: ${waitingFor} was not connected within 300 ms`,
      });
    }
  });

  it("that fails once and then does not answer tells the failure too", async () => {
    let tries = 0;
    const { route, clock } = harness({ consumer: () => (++tries === 1 ? fail(refused)() : never<FakeConsumer>()) });
    const starting = route.start().catch((error: unknown) => error);
    await clock.advance(5000);
    expect(await starting).toMatchObject({ code: "MQB_CORE_START_TIMEOUT", cause: refused });
  });

  it("may come up within the timeout", async () => {
    let tries = 0;
    const { route, clock } = harness({ consumer: () => (++tries < 4 ? fail(refused)() : new FakeConsumer()) });
    const starting = route.start();
    await clock.advance(1000);
    expect(await starting).toBe("running");
    expect(route.status()).toMatchObject({ state: "running", reconnects: 0 });
    await clock.run(route.stop());
  });

  it("makes one try that may not wait when the timeout is 0", async () => {
    const quick = harness({ route: { startup_timeout_ms: 0 } });
    expect(await quick.route.start()).toBe("running");
    await quick.clock.run(quick.route.stop());
    let tries = 0;
    const consumer = (): never => {
      tries += 1;
      throw refused;
    };
    const { route, clock } = harness({ consumer, route: { startup_timeout_ms: 0 } });
    await expect(clock.run(route.start())).rejects.toBe(refused);
    expect(tries).toBe(1);
  });
});

describe("a start that may keep an unreachable route", () => {
  const keep = { run: { unreachable: "keep" as const } };

  it("answers `connecting` in time and goes on in the background", async () => {
    let reachable = false;
    const h = harness({ consumer: () => (reachable ? new FakeConsumer([["a"]]) : fail(refused)()), ...keep });
    const starting = h.route.start();
    await h.clock.advance(5000);
    expect(await starting).toBe("connecting");
    expect(h.route.status()).toMatchObject({
      state: "connecting",
      healthy: false,
      error: "connection refused",
      reconnects: 0,
    });
    reachable = true;
    await h.clock.advance(60_000);
    expect(h.route.status()).toMatchObject({ state: "running", healthy: true });
    expect(h.publisher.texts).toEqual(["a"]);
    await h.clock.run(h.route.stop());
  });

  it("begins with the short pause then, so that an end that comes up is found soon", async () => {
    const { route, clock, log } = harness({ consumer: fail(refused), ...keep });
    const starting = route.start();
    await clock.advance(5000);
    await starting;
    await clock.advance(60_000);
    const pauses = log.at("warn").map((line) => Number(/next try in (\d+) ms/.exec(line)?.[1]));
    expect(Math.max(...pauses.slice(0, 20))).toBe(250);
    expect(pauses[20]).toBeGreaterThanOrEqual(4000);
    expect(Math.max(...pauses)).toBeLessThanOrEqual(10_000);
    await clock.run(route.stop());
  });

  it("does so with an end that does not answer", async () => {
    const { route, clock } = harness({ consumer: () => never<FakeConsumer>(), ...keep });
    const starting = route.start();
    await clock.advance(5000);
    expect(await starting).toBe("connecting");
    await clock.run(route.stop());
    expect(route.state).toBe("stopped");
  });
});

describe("an end that opens after it was given up", () => {
  it.each(["consumer", "publisher"] as const)("is closed again (%s)", async (side) => {
    const late = side === "consumer" ? new FakeConsumer() : new FakePublisher();
    const gate = deferred();
    const { route, clock } = harness({
      [side]: () => gate.promise.then(() => late),
      route: { startup_timeout_ms: 100 },
    });
    const starting = route.start().catch((error: unknown) => error);
    await clock.advance(100);
    expect(await starting).toMatchObject({ code: "MQB_CORE_START_TIMEOUT" });
    expect(late.closed).toBe(0);
    gate.resolve();
    await until(() => late.closed === 1);
  });

  it("may fail to open or to close: nothing comes of it", async () => {
    const late = new FakeConsumer();
    late.onClose = () => Promise.reject(new Error("close failed"));
    for (const settle of [() => late, fail(new Error("late failure"))]) {
      const gate = deferred();
      const { route, clock } = harness({
        consumer: () => gate.promise.then(settle),
        route: { startup_timeout_ms: 100 },
      });
      const starting = route.start().catch((error: unknown) => error);
      await clock.advance(100);
      await starting;
      gate.resolve();
      await settled();
    }
    expect(late.closed).toBe(1);
  });

  it("was asked to stop connecting", async () => {
    let signal: AbortSignal | undefined;
    const { route, clock } = harness({
      consumer: (context) => {
        signal = context.signal;
        return never<FakeConsumer>();
      },
    });
    const starting = route.start().catch((error: unknown) => error);
    await settled();
    expect(signal!.aborted).toBe(false);
    const stopped = route.stop();
    expect(signal!.aborted).toBe(true);
    await clock.run(stopped);
    expect(await starting).toMatchObject({ code: "MQB_CORE_STOPPED" });
  });
});

describe("a middleware that fails to open", () => {
  it("closes what it would have wrapped", async () => {
    const error = new MqbError("X", "config", "bad key");
    const broken = {
      description: "",
      schema: { "~standard": { version: 1 as const, vendor: "x", validate: (value: unknown) => ({ value }) } },
    };
    for (const side of ["input", "output"] as const) {
      const consumer = new FakeConsumer();
      const publisher = new FakePublisher();
      const end = side === "input" ? { source: {} } : { sink: {} };
      const h = harness({
        consumer,
        publisher,
        middlewares: { broken: { ...broken, [side]: fail(error) } },
        route: { [side]: { ...end, middlewares: ["broken"] } },
      });
      await expect(h.route.start()).rejects.toBe(error);
      expect(side === "input" ? consumer.closed : publisher.closed).toBe(1);
    }
  });

  it("closes it also when the middleware never opens and the start is given up", async () => {
    const hangs = {
      description: "",
      schema: { "~standard": { version: 1 as const, vendor: "x", validate: (value: unknown) => ({ value }) } },
      input: () => never<FakeConsumer>(),
    };
    const h = harness({
      consumer: new FakeConsumer(),
      middlewares: { hangs },
      route: { input: { source: {}, middlewares: ["hangs"] } },
    });
    const starting = h.route.start().catch((error: unknown) => error);
    await h.clock.advance(5000);
    expect(await starting).toMatchObject({ code: "MQB_CORE_START_TIMEOUT" });
    expect(h.consumer.closed).toBe(1);
  });
});
