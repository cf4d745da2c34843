/**
 * Maps of what was used last: their entries are in the order of their last use.
 * @module
 */

/** Makes an entry the one that was used last. Beyond `max` entries, the one used longest ago goes. */
export function keepRecent<K, V>(recent: Map<K, V>, key: K, value: V, max: number): void {
  recent.delete(key);
  recent.set(key, value);
  if (recent.size > max) recent.delete(recent.keys().next().value!);
}
