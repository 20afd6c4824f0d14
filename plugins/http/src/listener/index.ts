/** A server that routes share, by path and method; for endpoints that listen for HTTP. */

export { formatAddress, type ListenAddress, parseListenAddress } from "./address.ts";
export { closingOf, cutWhenIdle, isGone, needsDrain } from "./gone.ts";
export type { Listener } from "./listener.ts";
export { type ListenOptions, openListener } from "./open.ts";
export { answer, answerUnread } from "./plain-answer.ts";
export type { Mount, Request, Response, ServerProtocol } from "./protocol.ts";
