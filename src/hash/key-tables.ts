/**
 * Which public keys have a table of multiples, and which one: those that were checked often of late. Each curve has tables
 * of its own.
 *
 * A key takes the table of another only if that was not checked while the new one was, several times. So where more keys
 * come in turn than there are tables, some keep theirs, and nobody makes one after the other in vain.
 * @module
 */
import { textOfBytes } from '../bytes/byte-text.ts';
import { SIGNATURE_KEYS_MAX, SIGNATURE_TABLES_MAX } from '../config.ts';

/** From this many checks on, tables are made. */
const CHECKS_BEFORE_TABLES = 64;
/** So often a key must have been checked before it gets a table, which takes as long as some checks without. */
const CHECKS_BEFORE_TABLE = 8;

interface Key {
  checks: number;
  /** When these began, counted in checks of all keys. */
  since: number;
  /** Which table is the key's, if it has one. */
  slot: number | undefined;
}

/** What makes the table of a key at the place of this number; undefined for a key that can have none. */
export type TableMaker = (publicKey: Uint8Array) => ((slot: number) => void) | undefined;

export class KeyTables {
  readonly #makerOf: TableMaker;
  /** Keys that were seen, the first one first. */
  readonly #keys = new Map<string, Key>();
  /** Whose tables there are, and when each was used last. */
  readonly #tables: { readonly key: Key; usedAt: number }[] = [];
  #checks = 0;

  constructor(makerOf: TableMaker) {
    this.#makerOf = makerOf;
  }

  /** The table of a key that is checked once more; undefined if it has none. */
  slotOf(publicKey: Uint8Array): number | undefined {
    if (++this.#checks < CHECKS_BEFORE_TABLES) return undefined;
    const key = this.#keyOf(textOfBytes(publicKey));
    if (key.slot === undefined && ++key.checks === CHECKS_BEFORE_TABLE) this.#giveTable(key, publicKey);
    if (key.slot !== undefined) this.#tables[key.slot]!.usedAt = this.#checks;
    return key.slot;
  }

  #keyOf(name: string): Key {
    let key = this.#keys.get(name);
    if (key === undefined) {
      if (this.#keys.size >= SIGNATURE_KEYS_MAX) this.#keys.delete(this.#keys.keys().next().value!);
      key = { checks: 0, since: this.#checks, slot: undefined };
      this.#keys.set(name, key);
    }
    return key;
  }

  #giveTable(key: Key, publicKey: Uint8Array): void {
    const slot = this.#freeSlot(key.since);
    if (slot === undefined) {
      forget(key, this.#checks);
      return;
    }
    const make = this.#makerOf(publicKey);
    if (make === undefined) return;
    const table = this.#tables[slot];
    if (table !== undefined) forget(table.key, this.#checks);
    make(slot);
    this.#tables[slot] = { key, usedAt: this.#checks };
    key.slot = slot;
  }

  /** The place of a new table: behind the others, or that of the key which was not checked for longest, if not since then. */
  #freeSlot(since: number): number | undefined {
    const tables = this.#tables;
    if (tables.length < SIGNATURE_TABLES_MAX) return tables.length;
    let oldest = 0;
    for (let slot = 1; slot < tables.length; slot++) if (tables[slot]!.usedAt < tables[oldest]!.usedAt) oldest = slot;
    return tables[oldest]!.usedAt < since ? oldest : undefined;
  }
}

/** A key without a table is counted anew. */
function forget(key: Key, now: number): void {
  key.slot = undefined;
  key.checks = 0;
  key.since = now;
}
