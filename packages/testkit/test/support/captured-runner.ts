import type { Runner } from "../../src/index.ts";

/** Keeps the tests that a suite registers, to run them one by one: for suites that are expected to fail. */
export class CapturedRunner implements Runner {
  readonly tests = new Map<string, () => Promise<void>>();
  private readonly titles: string[] = [];

  readonly describe = (name: string, body: () => void): void => {
    this.titles.push(name);
    body();
    this.titles.pop();
  };

  readonly it = (name: string, _: { readonly timeout: number }, body: () => Promise<void>): void => {
    this.tests.set([...this.titles, name].join(" > "), body);
  };

  /** Names of the tests whose name holds the text. */
  named(text: string): string[] {
    return [...this.tests.keys()].filter((name) => name.includes(text));
  }

  /** What the test fails with, or undefined when it passes. */
  async failure(name: string): Promise<unknown> {
    try {
      await this.tests.get(name)!();
      return undefined;
    } catch (error) {
      return error ?? new Error("thrown: undefined");
    }
  }
}
