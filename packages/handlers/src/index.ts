/** Your own code in mqb: handlers of a route, sending and receiving without one, endpoints and middlewares made of functions. */

export { handlerByKind, type KindHandlerOptions } from "@mqb/standard";
export { type Body, type JsonMessageOptions, jsonMessage } from "./body.ts";
export { errors } from "./errors.ts";
export { type CommandResult, command, event, type TypedOptions } from "./handler.ts";
export {
  type IterateOptions,
  openReceiver,
  type ReceivedBatch,
  type ReceiveOptions,
  type Receiver,
} from "./receiver.ts";
export { type CodeRegistry, createCodeRegistry } from "./registry/code-registry.ts";
export {
  type CodeEndpoint,
  EndOfStream,
  type EndpointFactory,
  type EndpointOptions,
  type SendResult,
} from "./registry/endpoint.ts";
export type { FactoryContext } from "./registry/factory.ts";
export type { CodeMiddleware, MiddlewareFactory, MiddlewareOptions } from "./registry/middleware.ts";
export { openSender, type Sender, type SendOptions } from "./sender.ts";
