/** Which keys have a table, against a model that keeps every check ever made. */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { SIGNATURE_KEYS_MAX, SIGNATURE_TABLES_MAX } from '../../../src/base/config.ts';
import { KeyTables } from '../../../src/base/hash/key-tables.ts';

const CHECKS_BEFORE_TABLES = 64;
const CHECKS_BEFORE_TABLE = 8;

const keyOf = (number: number): Uint8Array => Uint8Array.of(number, number >> 8, 7);

/** Tables that hold the keys from which they were made, if a check has begun to make them. */
class Known {
  readonly made: Uint8Array[] = [];
  readonly tables: KeyTables;
  count = 0;

  constructor(refused: Uint8Array | undefined = undefined) {
    this.tables = new KeyTables((publicKey) => {
      if (Buffer.compare(publicKey, refused ?? new Uint8Array()) === 0) return undefined;
      return (slot) => {
        this.made[slot] = publicKey;
        this.count++;
      };
    });
    for (let count = 1; count < CHECKS_BEFORE_TABLES; count++)
      expect(this.tables.slotOf(keyOf(65_535))).toBeUndefined();
  }

  /** Whether a key has a table; it must be its own. */
  has(key: Uint8Array): boolean {
    const slot = this.tables.slotOf(key);
    if (slot === undefined) return false;
    expect(slot).toBeLessThan(SIGNATURE_TABLES_MAX);
    expect(this.made[slot]).toEqual(key);
    return true;
  }

  teach(key: Uint8Array): boolean {
    for (let count = 1; count < CHECKS_BEFORE_TABLE; count++) this.has(key);
    return this.has(key);
  }
}

describe('tables of keys', () => {
  it('are made once, for a key that was checked several times', () => {
    const known = new Known();
    const key = keyOf(1);
    for (let count = 1; count < CHECKS_BEFORE_TABLE; count++) expect(known.has(key)).toBe(false);
    for (let count = 0; count < 20; count++) expect(known.has(key.slice())).toBe(true);
    expect(known.count).toBe(1);
  });

  it('belong to one key each, whatever is checked in which order', () => {
    const turns = fc.array(fc.tuple(fc.nat({ max: 150 }), fc.nat({ max: 20 })), { maxLength: 400 });
    fc.assert(
      fc.property(turns, (list) => {
        const known = new Known();
        // `has` compares the key of the table.
        for (const [number, times] of list) for (let count = 0; count < times; count++) known.has(keyOf(number));
      }),
    );
  });

  it('go to keys that come now, from keys that no longer come', () => {
    const known = new Known();
    for (let number = 0; number < SIGNATURE_TABLES_MAX; number++) expect(known.teach(keyOf(number))).toBe(true);
    for (let number = 1_000; number < 1_010; number++) expect(known.teach(keyOf(number))).toBe(true);
    for (let number = 0; number < 10; number++) expect(known.has(keyOf(number))).toBe(false);
    expect(known.has(keyOf(10))).toBe(true);
    expect(known.count).toBe(SIGNATURE_TABLES_MAX + 10);
  });

  it('stay with their keys if more keys come in turn than there are tables', () => {
    const known = new Known();
    const keys = Array.from({ length: 3 * SIGNATURE_TABLES_MAX }, (_, number) => keyOf(number));
    let found = 0;
    for (let round = 0; round < 50; round++) found = keys.filter((key) => known.has(key)).length;
    expect(found).toBe(SIGNATURE_TABLES_MAX);
    expect(known.count).toBe(SIGNATURE_TABLES_MAX);
  });

  it('are not made for keys that can have none, and no key loses one to them', () => {
    const refused = keyOf(2_000);
    const known = new Known(refused);
    for (let number = 0; number < SIGNATURE_TABLES_MAX; number++) known.teach(keyOf(number));
    for (let round = 0; round < 5; round++) expect(known.teach(refused)).toBe(false);
    expect(known.has(keyOf(0))).toBe(true);
  });

  it('are made again for keys that were forgotten among many', () => {
    const known = new Known();
    const key = keyOf(1);
    known.teach(key);
    for (let number = 2; number < SIGNATURE_KEYS_MAX + 2; number++) known.has(keyOf(number));
    expect(known.teach(key)).toBe(true);
    expect(known.count).toBe(2);
  });
});
