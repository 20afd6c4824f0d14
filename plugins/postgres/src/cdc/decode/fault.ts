/** Bytes that are not what the protocol says. Whoever knows the server makes an error of it. */
export class StreamFault extends Error {}
