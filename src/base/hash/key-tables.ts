/**
 * Which public keys have a table of multiples, and which table: keys that were checked often recently. Each curve has
 * its own tables.
 *
 * A key takes over another's table only if the other was not checked at all while the new one was, several times. So if
 * more keys alternate than there are tables, some keep theirs, and tables are not rebuilt over and over in vain.
 * @module
 */
import { textOfBytes } from '../bytes/byte-text.ts';
import { SIGNATURE_KEYS_MAX, SIGNATURE_TABLES_MAX } from '../config.ts';

/** From this many checks on, tables are made. */
const CHECKS_BEFORE_TABLES = 64;
/** Checks of a key before it gets a table, which takes as long to make as some checks without one. */
const CHECKS_BEFORE_TABLE = 8;

interface Key {
  checks: number;
  /** When its checks began to be counted, in checks of all keys. */
  since: number;
  /** Which table is the key's, if it has one. */
  slot: number | undefined;
}

/** Returns a function that makes the table of a key in a slot; undefined for a key that can have none. */
export type TableMaker = (publicKey: Uint8Array) => ((slot: number) => void) | undefined;

export class KeyTables {
  readonly #makerOf: TableMaker;
  /** Keys seen so far, oldest first. */
  readonly #keys = new Map<string, Key>();
  /** The key of each table, and when it was used last. */
  readonly #tables: { readonly key: Key; usedAt: number }[] = [];
  #checks = 0;

  constructor(makerOf: TableMaker) {
    this.#makerOf = makerOf;
  }

  /** Counts a check of a key and returns the slot of its table; undefined if it has none. */
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

  /**
   * The slot for a new table: a free one, or that of the least recently checked key, unless it was checked since then.
   */
  #freeSlot(since: number): number | undefined {
    const tables = this.#tables;
    if (tables.length < SIGNATURE_TABLES_MAX) return tables.length;
    let oldest = 0;
    for (let slot = 1; slot < tables.length; slot++) if (tables[slot]!.usedAt < tables[oldest]!.usedAt) oldest = slot;
    return tables[oldest]!.usedAt < since ? oldest : undefined;
  }
}

/** A key without a table starts counting again. */
function forget(key: Key, now: number): void {
  key.slot = undefined;
  key.checks = 0;
  key.since = now;
}
