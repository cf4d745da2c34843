/** A map, weak or not. */
interface Entries<K, V> {
  get(key: K): V | undefined;
  set(key: K, value: V): unknown;
}

/** The value of a key; if there is none, `make` makes it first. What ECMAScript 2026 calls `getOrInsertComputed`. */
export function getOrInsert<K, V>(map: Entries<K, V>, key: K, make: () => V): V {
  const known = map.get(key);
  if (known !== undefined) return known;
  const made = make();
  map.set(key, made);
  return made;
}
