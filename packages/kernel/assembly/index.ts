// One module for all loops: no heap, numbers in, numbers out. Who calls owns every area and the slack behind it.
export { csv } from "./csv";
export { fields } from "./fields";
export { pieces } from "./pieces";
export { rows } from "./rows";
export { split } from "./split";
export { text } from "./text";
