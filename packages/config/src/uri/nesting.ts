import type { Registry } from "@mqb/core";
import { UriShapes } from "./fields.ts";

/** What reads or writes a URI and, with another one like it a level deeper, those that are nested in it. */
export abstract class UriNesting {
  protected readonly registry: Registry;
  protected readonly shapes: UriShapes;
  protected readonly depth: number;

  constructor(registry: Registry, shapes = new UriShapes(), depth = 0) {
    this.registry = registry;
    this.shapes = shapes;
    this.depth = depth;
  }
}
