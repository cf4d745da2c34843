/**
 * Least-recently-used caches: maps whose entries are in the order of their last use.
 * @module
 */

/** Marks an entry as the most recently used. Beyond `max` entries, the least recently used one is removed. */
export function keepRecent<K, V>(recent: Map<K, V>, key: K, value: V, max: number): void {
  recent.delete(key);
  recent.set(key, value);
  if (recent.size > max) recent.delete(recent.keys().next().value!);
}
