export const KERNEL = "";
