/**
 * The fields of one object that a session has read or changed, by key.
 *
 * Most objects have a handful, and Move code passes the same key arrays around. So a few fields are kept in a list,
 * which is searched first for the same array and then for equal bytes; that takes less time and memory than a map. More
 * fields are kept in a map, by the key's bytes as a string.
 * @module
 */

import { textOfBytes } from '../../base/bytes/byte-text.ts';
import { equalBytes } from '../../base/bytes/compare.ts';
import type { FieldKey } from '../../chain/object/field-key.ts';

/** The most fields that are searched one by one. */
const LISTED_MAX = 16;

export class FieldTable<Field> {
  /** The first fields, with the key arrays by which they were looked up. */
  readonly #keys: FieldKey[];
  readonly #listed: Field[];
  /** What was found last: code asks for an object several times in a row. */
  #lastKey: FieldKey;
  #last: Field;
  /** All fields, once they are too many for the list. */
  #byText: Map<string, Field> | undefined;

  /** A table with one field, which most tables keep to: V8 makes room for seventeen in an array that starts empty. */
  constructor(key: FieldKey, field: Field) {
    this.#keys = [key];
    this.#listed = [field];
    this.#lastKey = key;
    this.#last = field;
  }

  find(key: FieldKey): Field | undefined {
    if (key === this.#lastKey) return this.#last;
    const field = this.#search(key);
    if (field !== undefined) {
      this.#lastKey = key;
      this.#last = field;
    }
    return field;
  }

  #search(key: FieldKey): Field | undefined {
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

  /** All fields, in no particular order. */
  all(): Iterable<Field> {
    return this.#byText?.values() ?? this.#listed;
  }
}
