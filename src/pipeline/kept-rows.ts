/**
 * How the rows of a group of commits reach the store, by how much history is kept.
 * @module
 */
import { isRevertible, type Store } from '../store/store.ts';
import { BoundedRows } from './bounded-rows.ts';
import type { GroupRows } from './group-rows.ts';
import { ReplacedNodes } from './replaced-nodes.ts';

/** `rows` of `store` without what is not kept. In memory nothing is filtered: there a row costs less than the work. */
export function keptRows(store: Store, rows: GroupRows, isBounded: boolean): GroupRows {
  if (isBounded) return new BoundedRows(rows);
  return isRevertible(store) ? rows : new ReplacedNodes(rows);
}
