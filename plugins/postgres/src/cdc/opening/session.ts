/** What a route's session keeps from one opening to the next. */

/** How far a stream was acked. */
export const ACKED = "postgres_cdc acked";
/** How many rows of the next transaction were acked. */
export const PART = "postgres_cdc part";
/** The server's process that has the slot. */
export const PROCESS = "postgres_cdc process";
/** How far the tables were read. */
export const PROGRESS = "postgres_cdc tables";
export const WARNED = "postgres_cdc warned";
/** The slot was there, and has kept everything since. */
export const PINNED = "postgres_cdc pinned";
/** The server that these positions are of. */
export const SERVER = "postgres_cdc server";
