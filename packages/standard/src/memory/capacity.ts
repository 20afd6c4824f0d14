/** Slots of a topic whose capacity nobody gives. */
export const DEFAULT_CAPACITY = 100;
