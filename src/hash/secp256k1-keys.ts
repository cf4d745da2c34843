/**
 * Checks of signatures under keys that sign again and again: by tables of their multiples (secp256k1-tables.ts), which take
 * a quarter of the host's time once they are made.
 *
 * A key gets a table when it has been asked for often, as long as there is room; one that was not asked for in a while makes
 * room for another. That decides only who finds the answer, never the answer.
 * Source: SEC 1 section 4.1.4.
 * @module
 */
import { secp256k1 } from '@noble/curves/secp256k1.js';
import { bytesToNumberBE } from '@noble/curves/utils.js';
import { curveTables, KEY_TABLES_MAX } from './secp256k1-tables.ts';
import { sha256 } from './sha256.ts';

const { Fn } = secp256k1.Point;
const ORDER = Fn.ORDER;

const SIGNATURE_BYTES = 64;

/** Checks of a key from which on a table pays: it takes as long as two of the host's. The first also makes the base's. */
const CHECKS_BEFORE_TABLE = 8;

/** A table of which so many checks were not is given to another key. */
const IDLE_CHECKS = 16 * KEY_TABLES_MAX;

/** Whose tables stand at each place. */
const owners: RepeatedKey[] = [];

/** Checks so far, of all keys. */
let checks = 0;

/** A public key, and what is known of its checks. */
export class RepeatedKey {
  readonly #publicKey: Uint8Array;
  #checks = 0;
  #lastCheck = 0;
  #place: number | undefined;

  /** @param publicKey in its compressed form; it must be a point of the curve */
  constructor(publicKey: Uint8Array) {
    this.#publicKey = publicKey;
  }

  /**
   * Whether `signature`, r and s of 32 bytes, is the key's over the SHA-256 of `message`; either s will do.
   * @returns undefined where another has to find out: the key has no table, or the signature is no pair of such numbers
   */
  holds(message: Uint8Array, signature: Uint8Array): boolean | undefined {
    checks++;
    this.#checks++;
    this.#lastCheck = checks;
    if (signature.length !== SIGNATURE_BYTES) return undefined;
    if (this.#place === undefined && this.#checks % CHECKS_BEFORE_TABLE === 0) this.#takePlace();
    if (this.#place === undefined) return undefined;
    const r = bytesToNumberBE(signature.subarray(0, 32));
    const s = bytesToNumberBE(signature.subarray(32));
    if (!Fn.isValidNot0(r) || !Fn.isValidNot0(s)) return undefined;
    const inverse = Fn.inv(s);
    const ofBase = (bytesToNumberBE(sha256(message)) * inverse) % ORDER;
    return curveTables()?.isSumAt(ofBase, this.#place, (r * inverse) % ORDER, r);
  }

  #takePlace(): void {
    const tables = curveTables();
    const place = tables === undefined ? undefined : freePlace();
    if (tables === undefined || place === undefined) return;
    const owner = owners[place];
    if (owner !== undefined) owner.#place = undefined;
    tables.makeKeyTable(place, secp256k1.Point.fromBytes(this.#publicKey).toAffine());
    owners[place] = this;
    this.#place = place;
  }

  /** Whether its table may be another key's. */
  get isIdle(): boolean {
    return checks - this.#lastCheck > IDLE_CHECKS;
  }
}

/** A place without a table, or with one that is not used; undefined where there is none. */
function freePlace(): number | undefined {
  if (owners.length < KEY_TABLES_MAX) return owners.length;
  const idle = owners.findIndex((owner) => owner.isIdle);
  return idle === -1 ? undefined : idle;
}
