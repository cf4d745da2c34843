/**
 * Random lives of an identity document: methods, relationships and services come and go, and transactions are signed by
 * any key, for any method, in every envelope and by session keys. Chains must agree on each: translated and interpreted
 * to the byte, and with the newest release of the reference in statuses, documents, session keys and events.
 */
import { ed25519 } from '@noble/curves/ed25519.js';
import { p256 } from '@noble/curves/nist.js';
import { base58, base64 } from '@scure/base';
import { beforeAll, describe, expect, it } from 'vitest';
import { bytes, encode, string, u8, vector } from '../../src/base/bcs.ts';
import { concatBytes, fromHex, toHex } from '../../src/base/bytes/bytes.ts';
import { EngineError } from '../../src/base/error.ts';
import { sha256 } from '../../src/base/hash/sha256.ts';
import { displayStruct } from '../../src/move/type-tag.ts';
import {
  type Action,
  type Address,
  parseAddress,
  type TransactionData,
  transactionHash,
} from '../../src/query/transaction-builder.ts';
import { type RandomNumber, randomNumbers, runs, seed } from '../effort.ts';
import { linesOf } from '../execution/framework/outcomes.ts';
import { hasReference, referenceNote, releasedPackages, releaseNumbers } from '../vm/corpus.ts';
import {
  ENVELOPE_BITCOIN_MESSAGE,
  ENVELOPE_RAW_HASH,
  ENVELOPE_WEBAUTHN,
  ed25519Session,
  identityDocument,
  newAccount,
  p256Session,
  type SessionKey,
  secp256k1Session,
  signDid,
} from './authenticators.ts';
import { signBitcoin, signEcdsa, walletMessage } from './signer.ts';
import { ALICE, BOB, callOf, effectsOf, StepChain, transfer } from './step-chain.ts';

const STEPS = runs(60, 1_000);
/** Enough for all of them. */
const COINS = 100_000_000_000_000n;
const GAS_MAX = 300_000_000n;

const text = (value: string): Uint8Array => new TextEncoder().encode(value);
const secretOf = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);

/** A key that a document may have a method for. */
interface Key {
  readonly type: string;
  readonly publicKey: Uint8Array;
  readonly sign: (message: Uint8Array) => Uint8Array;
  readonly session: SessionKey;
}

function ed25519Key(secret: Uint8Array): Key {
  return {
    type: 'Ed25519VerificationKey2020',
    publicKey: ed25519.getPublicKey(secret),
    sign: (message) => ed25519.sign(message, secret),
    session: ed25519Session(secret),
  };
}

function p256Key(secret: Uint8Array): Key {
  return {
    type: 'EcdsaSecp256r1VerificationKey2019',
    publicKey: p256.getPublicKey(secret, true),
    sign: (message) => p256.sign(message, secret, { lowS: true }),
    session: p256Session(secret),
  };
}

function accountKey(account: typeof ALICE): Key {
  return {
    type: 'EcdsaSecp256k1VerificationKey2019',
    publicKey: fromHex(account.publicKey),
    sign: (message) => signEcdsa(account.privateKey, message),
    session: secp256k1Session(account),
  };
}

const OWN_KEY = accountKey(ALICE);
const KEYS = [OWN_KEY, accountKey(BOB), ed25519Key(secretOf(1)), ed25519Key(secretOf(2)), p256Key(secretOf(3))];
const TYPES = [...KEYS.map(({ type }) => type), 'JsonWebKey', ''];

const OWN_METHOD = text('account-key');
const METHODS = [
  OWN_METHOD,
  ...['', 'a', 'b', 'DID_VM:', 'é#?', 'x'.repeat(128), 'y'.repeat(129)].map(text),
  Uint8Array.of(0xff, 0xfe),
  Uint8Array.of(0),
];
const SCOPES = [[], ['0x3::did::*'], ['0x3::*::*', '0x3::transfer::*'], ['bad'], ['*::*::*']];

const did = (name: string, ...given: readonly Uint8Array[]): Action => callOf(`0x3::did::${name}_entry`, [], ...given);

/** A method that was added, with the key behind it. */
interface Method {
  readonly name: Uint8Array;
  readonly key: Key;
}

class Life {
  readonly #random: RandomNumber;
  /** Added at some time; some have been removed. */
  readonly #methods: Method[] = [{ name: OWN_METHOD, key: OWN_KEY }];

  constructor(random: RandomNumber) {
    this.#random = random;
  }

  pick<T>(list: readonly T[]): T {
    return list[this.#random(list.length)]!;
  }

  /**
   * What is done next, and the method that exists once it is. Without the first method, the document may be changed by
   * nobody: it stays unless `mayLoseAll`.
   */
  action(mayLoseAll: boolean): { readonly action: Action; readonly added?: Method } {
    const name = this.pick(METHODS);
    const fragment = encode(bytes, name);
    const removed = encode(bytes, this.pick(mayLoseAll ? METHODS : METHODS.slice(1)));
    const relationship = encode(u8, this.#random(6));
    const scopes = encode(vector(string), this.pick(SCOPES));
    switch (this.#random(10)) {
      case 0:
      case 1:
        return this.#adding(name, 'add_verification_method');
      case 2:
        return this.#adding(name, 'add_verification_method_with_scopes', scopes);
      case 3:
        return { action: did('remove_verification_method', removed) };
      case 4:
        return { action: did('add_to_verification_relationship', fragment, relationship) };
      case 5:
        return { action: did('add_to_verification_relationship_with_scope', fragment, relationship, scopes) };
      case 6:
        return { action: did('remove_from_verification_relationship', removed, relationship) };
      case 7: {
        const type = encode(string, this.pick(['page', 'CadopCustodianService']));
        return { action: did('add_service', fragment, type, encode(string, 'https://service.example')) };
      }
      case 8:
        return { action: did('remove_service', fragment) };
      default:
        return { action: transfer(parseAddress(BOB.address), 1n) };
    }
  }

  executed(added: Method | undefined): void {
    if (added !== undefined) this.#methods.push(added);
  }

  /** Signs as a method of the document, mostly one that was added with that key. */
  sign(data: TransactionData): Uint8Array {
    const { name, key } =
      this.#random(5) > 0 ? this.pick(this.#methods) : { name: this.pick(METHODS), key: this.pick(KEYS) };
    const hash = transactionHash(data);
    switch (this.#random(8)) {
      case 0:
      case 1:
        return signDid(data, { envelope: ENVELOPE_RAW_HASH, method: name, signature: key.sign(hash) });
      case 2: {
        const message = text(`Rooch Transaction:\n${toHex(hash)}`);
        const signature = key.sign(sha256(walletMessage(hash)));
        return signDid(data, { envelope: ENVELOPE_BITCOIN_MESSAGE, method: name, signature, message });
      }
      case 3: {
        const device = new Uint8Array(37).fill(1);
        const client = text(JSON.stringify({ type: 'webauthn.get', challenge: base64.encode(hash), origin: 'here' }));
        const signature = key.sign(concatBytes(device, sha256(client)));
        const message = concatBytes(encode(bytes, device), encode(bytes, client));
        return signDid(data, { envelope: ENVELOPE_WEBAUTHN, method: name, signature, message });
      }
      case 4:
      case 5:
        return key.session.sign(data);
      case 6:
        return signBitcoin(ALICE, data);
      default: {
        const signature = key.sign(hash).subarray(0, this.#random(66));
        return signDid(data, { envelope: this.#random(4), method: name, signature, message: hash });
      }
    }
  }

  #adding(name: Uint8Array, call: string, ...last: readonly Uint8Array[]): { action: Action; added: Method } {
    const key = this.pick(KEYS);
    const type = this.#random(8) > 0 ? key.type : this.pick(TYPES);
    const relationships = Array.from({ length: this.#random(4) }, () => this.#random(6));
    const action = did(
      call,
      encode(bytes, name),
      encode(string, type),
      encode(string, this.#random(5) > 0 ? `z${base58.encode(key.publicKey)}` : this.#oddKey(key.publicKey)),
      encode(vector(u8), this.#random(3) > 0 ? [0, 2, 3] : relationships),
      ...last,
    );
    return { action, added: { name, key } };
  }

  #oddKey(publicKey: Uint8Array): string {
    return this.pick([`f${toHex(publicKey)}`, `z${base58.encode(publicKey.subarray(1))}`, 'z0OIl', '']);
  }
}

/** What a transaction came to: `full` for chains with the same code, the rest for any. */
interface Outcome {
  readonly status: unknown;
  /** Documents, session keys, and events about them. */
  readonly told: readonly string[];
  readonly full: unknown;
}

function outcomeOn(chain: StepChain, signed: Uint8Array): Outcome {
  try {
    const output = chain.execute(signed);
    const { status, changeSet, events } = output;
    const about = /::(?:did|session_key)::/;
    return {
      status: status.kind === 'move-abort' ? { kind: status.kind, module: status.location, code: status.code } : status,
      told: [
        ...linesOf(changeSet.changes).filter((line) => about.test(line)),
        ...events
          .map(({ eventType, eventData }) => `${displayStruct(eventType)} ${toHex(eventData)}`)
          .filter((line) => about.test(line)),
      ],
      full: effectsOf(output),
    };
  } catch (error) {
    if (!(error instanceof EngineError) || error.code !== 'transaction-rejected') throw error;
    // The reference's functions have other names.
    return { status: error.message.replace(/( in 0x\w+::\w+)::.*/s, '$1'), told: [], full: error.message };
  }
}

async function open(): Promise<StepChain[]> {
  const chains = [await StepChain.open(), await StepChain.open({ engine: 'interpret' })];
  if (hasReference) {
    const newest = await StepChain.open();
    newest.replaceModules(releasedPackages(releaseNumbers().at(-1)!).flatMap(({ modules }) => modules));
    chains.push(newest);
  }
  return chains;
}

describe('identity documents', () => {
  const outcomes: Outcome[][] = [];

  beforeAll(async () => {
    const chains = await open();
    const accounts = chains.map((chain) => newAccount(chain.send(ALICE, identityDocument(ALICE)).changeSet));
    const account: Address = accounts[0]!;
    for (const [index, chain] of chains.entries()) {
      expect(accounts[index]).toEqual(account);
      chain.fund(account, COINS);
    }
    const life = new Life(randomNumbers(seed));
    for (let step = 0; step < STEPS; step++) {
      const { action, added } = life.action(step > STEPS * 0.8);
      const sender = life.pick([account, account, account, parseAddress(ALICE.address)]);
      const signed = life.sign(chains[0]!.data(sender, action, { maxGasAmount: GAS_MAX }));
      const each = chains.map((chain) => outcomeOn(chain, signed));
      outcomes.push(each);
      if ((each[0]!.status as { kind?: string }).kind === 'executed') life.executed(added);
    }
  }, 600_000);

  it('are the same translated and interpreted', () => {
    for (const [step, [translated, interpreted]] of outcomes.entries()) {
      expect(interpreted!.full, `step ${step}`).toEqual(translated!.full);
    }
  });

  it.skipIf(!hasReference)(`are those of the newest release of the reference${referenceNote}`, () => {
    for (const [step, [ours, , theirs]] of outcomes.entries()) {
      expect([theirs!.status, theirs!.told], `step ${step}`).toEqual([ours!.status, ours!.told]);
    }
  });

  it('come to every kind of end', () => {
    const kinds = new Set(
      outcomes.map(([ours]) =>
        typeof ours!.status === 'string' ? 'refused' : (ours!.status as { kind: string }).kind,
      ),
    );
    expect([...kinds]).toEqual(expect.arrayContaining(['executed', 'move-abort', 'refused']));
    expect(outcomes.filter(([ours]) => ours!.told.length > 0).length).toBeGreaterThan(STEPS / 20);
  });
});
