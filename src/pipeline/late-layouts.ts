/**
 * The layouts of an engine and its forks. Their code, which reads compiled modules, is loaded with the first one.
 * @module
 */
import { LateModule } from '../late-module.ts';
import type { LayoutCache } from '../runtime/layout-source.ts';

export const LAYOUT_SOURCE: LateModule<typeof import('../runtime/layout-source.ts')> = new LateModule(
  'runtime/layout-source',
  () => import('../runtime/layout-source.ts'),
);

/** Gives the same cache each time. `LAYOUT_SOURCE` must have been prepared. */
export type LateLayouts = () => LayoutCache;

export function lateLayouts(): LateLayouts {
  let cache: LayoutCache | undefined;
  return () => {
    cache ??= new LAYOUT_SOURCE.exports.LayoutCache();
    return cache;
  };
}
