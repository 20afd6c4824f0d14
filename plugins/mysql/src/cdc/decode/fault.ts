/** The log is not what it should be. The next connection may get it right. */
export class StreamFault extends Error {}
