import type { Plugin } from "@mqb/core/plugin";
import type { InputWrap, OutputWrap } from "../support/middlewares.ts";

/** A middleware with one fault, and the scenario that has to find it. */
export type MiddlewareFault = { readonly scenario: string } & (
  | { readonly input: InputWrap; readonly removes?: true }
  | { readonly output: OutputWrap; readonly removes?: true }
  | { readonly plugin: Plugin }
);

export type MiddlewareFaults = Readonly<Record<string, MiddlewareFault>>;
