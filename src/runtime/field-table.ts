/**
 * The fields of one object that a session has looked at, by key.
 *
 * Most objects have a handful of them, and Move code passes the same key arrays on and on: so a few fields lie in a list
 * that is searched for the very array first and for equal bytes then, which takes less time and memory than a map.
 * Beyond that, they are in a map by the key's bytes as text.
 * @module
 */
import { equalBytes } from '../bytes/compare.ts';
import type { FieldKey } from '../object/field-key.ts';
import { textOfBytes } from '../store/byte-text.ts';

/** Fields that are found by looking at one after the other. */
const LISTED_MAX = 16;

export class FieldTable<Field> {
  /** The first fields with the arrays by which they were asked for. */
  readonly #keys: FieldKey[];
  readonly #listed: Field[];
  /** All fields, once they are too many for the list. */
  #byText: Map<string, Field> | undefined;

  /** A table of one field, as most stay: V8 gives an array that begins empty room for seventeen. */
  constructor(key: FieldKey, field: Field) {
    this.#keys = [key];
    this.#listed = [field];
  }

  find(key: FieldKey): Field | undefined {
    const keys = this.#keys;
    for (let index = 0; index < keys.length; index++) if (keys[index] === key) return this.#listed[index];
    if (this.#byText !== undefined) return this.#byText.get(textOfBytes(key));
    for (let index = 0; index < keys.length; index++) {
      if (keys[index]![0] === key[0] && equalBytes(keys[index]!, key)) return this.#listed[index];
    }
    return undefined;
  }

  /** Adds a field, which the table must not have. */
  add(key: FieldKey, field: Field): void {
    if (this.#keys.length < LISTED_MAX) {
      this.#keys.push(key);
      this.#listed.push(field);
      return;
    }
    this.#byText ??= new Map(this.#keys.map((listed, index) => [textOfBytes(listed), this.#listed[index]!]));
    this.#byText.set(textOfBytes(key), field);
  }

  /** All fields, in no order that matters. */
  all(): Iterable<Field> {
    return this.#byText?.values() ?? this.#listed;
  }
}
