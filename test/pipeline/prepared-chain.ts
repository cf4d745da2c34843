/**
 * An engine on which everybody has what they need to be refused: session keys lent, taken back and unused for too long, an
 * account of several keys, an identity document, a validator of a contract, objects of all kinds.
 * @module
 */

import { createHash } from 'node:crypto';
import { expect } from 'vitest';
import { decode, encode } from '../../src/base/bcs.ts';
import { toHexPrefixed } from '../../src/base/bytes/bytes.ts';
import type { LedgerTransactionData } from '../../src/chain/transaction/ledger.ts';
import { EMPTY_AUTHENTICATOR } from '../../src/chain/transaction/signed.ts';
import { account } from '../../src/execution/framework/account.ts';
import { ObjectRuntime } from '../../src/execution/runtime/object-runtime.ts';
import { DEV_ACCOUNTS, type DevAccount, Engine, type Receipt } from '../../src/index.ts';
import { address, FRAMEWORK_ADDRESS } from '../../src/move/address.ts';
import { structTag } from '../../src/move/type-tag.ts';
import {
  type Action,
  type Address,
  accountObjectId,
  namedObjectId,
  objectId,
  parseAddress,
  parseObjectId,
  parseTypeTag,
  type TransactionData,
  type TypeTag,
} from '../../src/query/transaction-builder.ts';
import { createRpc, type Rpc } from '../../src/server/index.ts';
import { MemoryStore } from '../../src/store/index.ts';
import { selfIdOf } from '../../src/vm/binary/module.ts';
import { readModule } from '../../src/vm/binary/read.ts';
import { forge } from '../forge.ts';
import {
  addPasskey,
  ed25519Session,
  identityDocument,
  lendKey,
  p256Session,
  type SessionKey,
  secp256k1Session,
  sharedAccount,
  signDidHash,
  takeKeyBack,
  VALIDATOR_OF_ONE,
  validatorModule,
} from './authenticators.ts';
import { publishFor } from './contract.ts';
import { signBitcoin } from './signer.ts';
import { ALICE, BOB, callOf, transfer } from './step-chain.ts';

const alice = parseAddress(ALICE.address);
const bob = parseAddress(BOB.address);
/** The joint owners of an account. */
export const MEMBERS: readonly DevAccount[] = DEV_ACCOUNTS.slice(2, 5);
export const secret = (fill: number): Uint8Array => new Uint8Array(32).fill(fill);

export const lent: SessionKey = ed25519Session(secret(7));
export const returned: SessionKey = ed25519Session(secret(8));
export const idle: SessionKey = ed25519Session(secret(9));
export const never: SessionKey = ed25519Session(secret(10));
export const secpKey: SessionKey = secp256k1Session(BOB);
export const p256Key: SessionKey = p256Session(secret(11));
export const PASSKEY: Uint8Array = secret(12);
const TRANSFERS = { module: 'transfer', function: '*' };
/** Seconds after which the idle key expires. */
const IDLE = 10n;

/** Objects of Alice, of Bob and of nobody, and what may be done with them. */
export const THINGS: string = `module 0xa11ce::things
  struct Own has key, store { n: u64 }
  struct Foreign has key, store { n: u64 }
  struct Frozen has key, store { n: u64 }
  struct Shared has key, store { n: u64 }
  fun init() {
    LdU64 1; Pack Own; Call 0x2::object::new_named_object<Own>; LdConst address ${ALICE.address}; Call 0x2::object::transfer<Own>
    LdU64 1; Pack Foreign; Call 0x2::object::new_named_object<Foreign>; LdConst address ${BOB.address}; Call 0x2::object::transfer<Foreign>
    LdU64 1; Pack Frozen; Call 0x2::object::new_named_object<Frozen>; Call 0x2::object::to_frozen<Frozen>
    LdU64 1; Pack Shared; Call 0x2::object::new_named_object<Shared>; Call 0x2::object::to_shared<Shared>; Ret
  }
  public entry fun touch<T: key>(thing: &mut 0x2::object::Object<T>) { MoveLoc thing; Pop; Ret }
  public entry fun two<T: key>(a: &mut 0x2::object::Object<T>, b: &mut 0x2::object::Object<T>) {
    MoveLoc a; Pop; MoveLoc b; Pop; Ret
  }
  public entry fun fail() { LdU64 77; Abort }
  public entry fun spin() { again: Branch again }
  public fun hidden() { Ret }`;

export const thing = (name: string): Uint8Array => encode(objectId, namedObjectId(structTag(alice, 'things', name)));
export const typeOf = (name: string): TypeTag => parseTypeTag(`${ALICE.address}::things::${name}`);
export const touch = (name: string): Action => callOf(`${ALICE.address}::things::touch`, [typeOf(name)], thing(name));
export const give = (name: string): Action =>
  callOf('0x3::transfer::transfer_object', [typeOf(name)], encode(address, bob), thing(name));

/** An engine, and all that it stores, seen from both doors. */
export class WatchedChain {
  readonly engine: Engine;
  readonly rpc: Rpc;
  readonly #store: MemoryStore;

  constructor(engine: Engine, store: MemoryStore) {
    this.engine = engine;
    this.rpc = createRpc(engine, { wire: 'rooch' });
    this.#store = store;
  }

  /** A hash over all stored rows, in their order. */
  async rows(): Promise<string> {
    const parts: Uint8Array[] = [];
    for await (const { key, value } of this.#store.scan({}))
      parts.push(new Uint8Array(Uint32Array.of(key.length, value.length).buffer), key, value);
    return createHash('sha256').update(Buffer.concat(parts)).digest('hex');
  }

  /** Sends it both ways: it is refused with the same words, and not one row has changed. */
  async refuses(signed: Uint8Array, code: string, words: RegExp): Promise<void> {
    const [before, { head }] = [await this.rows(), this.engine];
    const message = expect.stringMatching(words);
    await expect(this.engine.execute(signed)).rejects.toMatchObject({ code, message });
    for (const method of ['rooch_executeRawTransaction', 'chain_sendRawTransaction'] as const) {
      const number = code === 'malformed-bytes' ? 3 : 2;
      const answer = this.rpc.request(method, [toHexPrefixed(signed)]);
      await expect(answer).rejects.toMatchObject({ code: number, message, data: { code } });
    }
    expect(this.engine.head).toEqual(head);
    expect(await this.rows()).toBe(before);
  }
}

export interface PreparedChainOptions {
  readonly modules?: readonly Uint8Array[];
}

export class PreparedChain extends WatchedChain {
  /** An account of several keys, and one of an identity document. */
  shared!: Address;
  document!: Address;
  /** A transaction that was executed. */
  accepted!: Uint8Array;
  /** Milliseconds of the engine's clock. */
  readonly #time: { now: bigint };

  /** On our framework, or with another's modules in place of its own. */
  static async open({ modules = [] }: PreparedChainOptions = {}): Promise<PreparedChain> {
    const store = new MemoryStore();
    const time = { now: 0n };
    const engine = await Engine.open({ store, clock: () => time.now, gasGift: true });
    if (modules.length > 0) await replaceModules(engine, modules);
    const prepared = new PreparedChain(engine, store, time);
    await prepared.#prepare();
    return prepared;
  }

  private constructor(engine: Engine, store: MemoryStore, time: { now: bigint }) {
    super(engine, store);
    this.#time = time;
    time.now = engine.head.timestamp;
  }

  async #prepare(): Promise<void> {
    for (const action of [
      publishFor(ALICE, THINGS),
      publishFor(ALICE, validatorModule(VALIDATOR_OF_ONE)),
      callOf(`${ALICE.address}::door::open`),
      callOf('0x3::account_authentication::install_auth_validator_entry', [
        parseTypeTag(`${ALICE.address}::door::Door`),
      ]),
      ...[lent, returned, secpKey, p256Key].map((key) => lendKey(key.authenticationKey, TRANSFERS)),
      lendKey(idle.authenticationKey, { ...TRANSFERS, interval: IDLE }),
      takeKeyBack(returned.authenticationKey),
    ]) {
      await this.#done(signBitcoin(ALICE, this.data({ action })));
    }
    this.shared = newAccountOf(await this.#done(signBitcoin(ALICE, this.data({ action: sharedAccount(2n, MEMBERS) }))));
    this.document = newAccountOf(await this.#done(signBitcoin(ALICE, this.data({ action: identityDocument(ALICE) }))));
    const passkey = this.data({ sender: this.document, action: addPasskey(PASSKEY) });
    await this.#done(signDidHash(passkey, ALICE));
    this.#time.now += (IDLE + 1n) * 1_000n;
    this.accepted = signBitcoin(ALICE, this.data());
    await this.#done(this.accepted);
  }

  async #done(signed: Uint8Array): Promise<Receipt> {
    const receipt = await this.engine.execute(signed);
    expect(receipt.failure).toBeUndefined();
    return receipt;
  }

  /** Alice's next transaction, a transfer; any part may be overridden. */
  data({ sender = alice, ...parts }: Partial<TransactionData> = {}): TransactionData {
    const object = this.engine.inside.state.object(accountObjectId(sender));
    return {
      sender,
      sequenceNumber: object === undefined ? 0n : decode(account, object.value).sequenceNumber,
      chainId: this.engine.chainId,
      maxGasAmount: 100_000_000n,
      action: transfer(bob, 1n),
      ...parts,
    };
  }

  /** Alice's next transaction, signed by her. */
  signed(parts: Partial<TransactionData> = {}): Uint8Array {
    return signBitcoin(ALICE, this.data(parts));
  }
}

/** The account that a transaction made. */
function newAccountOf({ changes }: Receipt): Address {
  const { id } = changes.find(({ kind, type }) => kind === 'created' && type === '0x2::account::Account')!;
  return parseObjectId(id)[0]!;
}

/** Replaces the framework's modules by others, in a commit that no transaction could make. */
async function replaceModules(engine: Engine, codes: readonly Uint8Array[]): Promise<void> {
  const data = {
    kind: 'l2-transaction',
    data: {
      sender: FRAMEWORK_ADDRESS,
      sequenceNumber: 1n,
      chainId: engine.chainId,
      maxGasAmount: 0n,
      action: { kind: 'modules', modules: [] },
    },
    authenticator: EMPTY_AUTHENTICATOR,
  } satisfies LedgerTransactionData;
  await forge(engine, data, (state) => {
    const runtime = new ObjectRuntime(state);
    for (const code of codes) {
      const { address: owner, name } = selfIdOf(readModule(code));
      runtime.modules.publish(owner, name, code);
    }
    return { changeSet: runtime.changeSet(), events: [], gasUsed: 0n, status: { kind: 'executed' } };
  });
}
