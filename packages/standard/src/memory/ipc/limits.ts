/** A frame is a length in 4 bytes, big-endian, and that many bytes of MessagePack. */
export const HEADER_BYTES = 4;

/** Longest frame that is read, without its header: 100 MiB. */
export const MAX_READ_BYTES = 100 * 1024 * 1024;

/** Longest frame that is written: 100 MB, the smaller reading of the limit that the readers have. */
export const MAX_WRITTEN_BYTES = 100_000_000;

/** So much is read ahead of the route, and at least one frame: what is read is lost when the process is killed. */
export const READ_AHEAD_BYTES = 1024 * 1024;
