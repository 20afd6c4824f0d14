/** The plugins that the command brings along, by package. They are part of its bundle and share its copy of core. */
export const BUNDLED: Readonly<Record<string, () => Promise<unknown>>> = {
  "@mqb/aggregate": () => import("@mqb/aggregate"),
  "@mqb/compression": () => import("@mqb/compression"),
  "@mqb/dedup": () => import("@mqb/dedup"),
  "@mqb/encryption": () => import("@mqb/encryption"),
  "@mqb/expression": () => import("@mqb/expression"),
  "@mqb/file": () => import("@mqb/file"),
  "@mqb/lookup": () => import("@mqb/lookup"),
  "@mqb/standard": () => import("@mqb/standard"),
  "@mqb/transform": () => import("@mqb/transform"),
};
