/**
 * Plays scripts on an engine, and on a model beside it.
 *
 * What a step does is planned on the model alone; the engine is only asked for the roots of the objects' fields, which
 * belong in a change set. Its clock is the player's, read once for each commit.
 */

import { encode, string, u64 } from '../../src/base/bcs.ts';
import { concatBytes, toHex } from '../../src/base/bytes/bytes.ts';
import { sha3 } from '../../src/base/hash/sha3.ts';
import { inscription, utxo } from '../../src/bitcoin/index.ts';
import type { FieldChanges } from '../../src/chain/object/change-set.ts';
import { STRING_TYPE } from '../../src/chain/object/field-key.ts';
import { parentObjectId } from '../../src/chain/object/object-id.ts';
import { dynamicFieldType } from '../../src/chain/object/object-state.ts';
import type { State } from '../../src/chain/state/state.ts';
import type { LedgerTransactionData } from '../../src/chain/transaction/ledger.ts';
import { inscriptionObjectId, utxoObjectId } from '../../src/execution/bitcoin-move/object-id.ts';
import {
  accountCoinStoreId,
  coinInfo,
  coinInfoId,
  coinInfoType,
  coinStore,
  coinStoreField,
  coinStoreType,
  MULTI_COIN_STORE_TYPE,
  multiCoinFieldKey,
  multiCoinStoreId,
} from '../../src/execution/framework/coin.ts';
import { Engine, type EngineOptions } from '../../src/index.ts';
import { addressOf, parseAddressHex } from '../../src/move/address.ts';
import { canonicalStruct, structType } from '../../src/move/type-tag.ts';
import type { Commit, ExecutionOutput } from '../../src/pipeline/commit.ts';
import { GENESIS_TIMESTAMP_DEFAULT, localGenesis } from '../../src/pipeline/local-chain.ts';
import {
  type Address,
  deriveFieldKey,
  formatObjectId,
  ledgerTransactionHash,
  namedObjectId,
  type ObjectChange,
  type ObjectId,
  parseStructTag,
  parseTypeTag,
  type StateChangeSet,
  type StructTag,
  type TransactionEvent,
  type TypeTag,
  type ValueChange,
} from '../../src/query/transaction-builder.ts';
import type { ScriptAction, ScriptStep } from '../arbitraries/chain.ts';
import { forge } from '../forge.ts';
import { ChainModel, type ModelObject } from './chain-model.ts';

export const OWNERS: readonly Address[] = [
  addressOf(0x42),
  parseAddressHex('0x12f107d85e93b6daabc940155d855f5744f1365257ee011e2a04848e40f2488b'),
  addressOf(0),
  addressOf(0x1_00_00),
  addressOf(0x43),
];

const UTXO_TYPE = parseStructTag('0x4::utxo::UTXO');
const INSCRIPTION_TYPE = parseStructTag('0x4::ord::Inscription');

/** The value of an object of a type, made of random bytes: those of Bitcoin's types are read by queries. */
function contentOf(type: StructTag, random: Uint8Array): Uint8Array {
  const txid = sha3(random);
  if (type === UTXO_TYPE) return encode(utxo, { txid, vout: 0, value: BigInt(random.length), seals: [] });
  if (type !== INSCRIPTION_TYPE) return random;
  return encode(inscription, {
    id: { txid, index: 0 },
    location: { outpoint: { txid, vout: 0 }, offset: 0n },
    sequenceNumber: 0,
    inscriptionNumber: 0,
    isCursed: false,
    charms: 0,
    body: random,
    contentEncoding: undefined,
    contentType: undefined,
    metadata: new Uint8Array(0),
    metaprotocol: undefined,
    parents: [],
    pointer: undefined,
    rune: undefined,
  });
}

/** One a prefix of another, generic and not, and a coin store that is not an account's own. */
export const TYPES: readonly StructTag[] = [
  '0x42::game::Box<u64>',
  '0x42::game::Sword',
  '0x42::game::Box<0x42::game::Sword>',
  '0x42::game::Boxes',
  '0x42::game::Box',
  '0x42::game::Map<vector<u8>, address>',
  '0x3::coin_store::CoinStore<0x42::gold::Gold>',
].map(parseStructTag);

export const COINS: readonly StructTag[] = ['0x42::gold::Gold', '0x42::gold::Token<u8>', '0x42::gold::Token<u64>'].map(
  parseStructTag,
);

export const EVENT_TYPES: readonly StructTag[] = [
  '0x42::game::Moved',
  '0x42::game::Traded<u64>',
  '0x42::game::Traded<address>',
  '0x3::coin_store::DepositEvent',
].map(parseStructTag);

/** Handles without a type, which may hold events of any type. */
export const CUSTOM_HANDLES: readonly ObjectId[] = [[sha3(Uint8Array.of(1))], [sha3(Uint8Array.of(2))]];

const FIELD_NAMES: readonly { readonly type: TypeTag; readonly bytes: Uint8Array }[] = [
  { type: STRING_TYPE, bytes: encode(string, 'name') },
  { type: STRING_TYPE, bytes: encode(string, '') },
  { type: { kind: 'u64' }, bytes: encode(u64, 7n) },
  { type: { kind: 'address' }, bytes: addressOf(9) },
  { type: parseTypeTag('vector<u8>'), bytes: Uint8Array.of(1, 5) },
];

/** Stands in a planned change for the root of the fields that the object has. */
const ROOT_AS_IT_IS = new Uint8Array(32);

/** A change of one object in the making. */
interface Touched {
  readonly before: ModelObject | undefined;
  meta: ModelObject['meta'];
  value: ValueChange | undefined;
  /** Starts without fields, whatever it had. */
  isReset: boolean;
  /** Whether an action of this step was about this object itself. */
  isOwn: boolean;
  readonly fields: Map<string, Touched>;
}

interface Plan {
  readonly data: LedgerTransactionData;
  readonly hash: Uint8Array;
  readonly changes: FieldChanges;
  readonly globalSize: bigint;
  readonly events: readonly TransactionEvent[];
}

/**
 * The clock of an engine: the next time, or the last one again. Forks share it, and nobody can say in which order they
 * read it, so a clock that several engines use at once stands still.
 */
export class PlayerClock {
  readonly waiting: bigint[] = [];
  readonly isStill: boolean;
  /** Not behind the chain, which would then go on from its own time. */
  #last = GENESIS_TIMESTAMP_DEFAULT;

  constructor(isStill = false) {
    this.isStill = isStill;
  }

  readonly read = (): bigint => {
    this.#last = this.waiting.shift() ?? this.#last;
    return this.#last;
  };
}

export class ChainPlayer implements AsyncDisposable {
  readonly engine: Engine;
  readonly clock: PlayerClock;
  model: ChainModel;
  #size: bigint;
  #now: bigint;
  #serial: number;

  constructor(engine: Engine, clock: PlayerClock, model: ChainModel, size: bigint, serial = 0) {
    this.engine = engine;
    this.clock = clock;
    this.model = model;
    this.#size = size;
    this.#now = model.transactions.at(-1)?.time ?? 0n;
    this.#serial = serial;
  }

  /** A player on a new chain with the default genesis. */
  static async open(options: EngineOptions = {}, clock: PlayerClock = new PlayerClock()): Promise<ChainPlayer> {
    const engine = await Engine.open({ ...options, clock: clock.read });
    const { model, size } = await genesisModel();
    return new ChainPlayer(engine, clock, model, size);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.engine.close();
  }

  /** A player on a fork, whose model goes its own way too. It shares the clock. */
  fork(serial: number): ChainPlayer {
    return new ChainPlayer(this.engine.fork(), this.clock, this.model.copy(), this.#size, serial);
  }

  /** What `restore` needs to go back to this moment. */
  remember(): { readonly model: ChainModel; readonly size: bigint; readonly now: bigint } {
    return { model: this.model.copy(), size: this.#size, now: this.#now };
  }

  restore({ model, size, now }: ReturnType<ChainPlayer['remember']>): void {
    this.model = model.copy();
    this.#size = size;
    this.#now = now;
  }

  /** Plays a whole script; afterwards every step is committed. */
  async play(script: readonly ScriptStep[]): Promise<Commit[]> {
    const commits: Promise<Commit>[] = [];
    for (const step of script) {
      const commit = this.submit(step);
      commits.push(commit);
      if (!step.isQueued) await commit;
    }
    return Promise.all(commits);
  }

  /** Submits one step; the model has it at once. */
  submit(step: ScriptStep): Promise<Commit> {
    const plan = this.#plan(step);
    if (!this.clock.isStill) {
      const wanted = this.#now + BigInt(step.advance);
      this.clock.waiting.push(wanted);
      if (wanted > this.#now) this.#now = wanted;
    }
    this.#size = plan.globalSize;
    const stateRoot = ROOT_AS_IT_IS;
    const changeSet: StateChangeSet = { stateRoot, globalSize: plan.globalSize, changes: plan.changes };
    this.model.apply({ ...plan, changeSet, time: this.#now });
    return forge(this.engine, plan.data, (state) => execute(state, plan));
  }

  #plan(step: ScriptStep): Plan {
    const root = new Map<string, Touched>();
    const planner = new Planner(this.model, root, this.#now, this.#size, () =>
      sha3(encode(u64, BigInt(++this.#serial))),
    );
    for (const action of step.actions) planner.act(action);
    const data = this.#data(step);
    return {
      data,
      hash: ledgerTransactionHash(data),
      changes: changesOf(root),
      globalSize: planner.size,
      events: step.events.map(({ type, handle, data: eventData }, index) => {
        const eventType = EVENT_TYPES[type % EVENT_TYPES.length]!;
        const handles = [namedObjectId(eventType), ...CUSTOM_HANDLES];
        return { eventType, eventData, eventIndex: BigInt(index), handle: handles[handle % handles.length]! };
      }),
    };
  }

  #data(step: ScriptStep): LedgerTransactionData {
    const serial = BigInt(++this.#serial);
    const blockHash = sha3(encode(u64, serial));
    switch (step.kind) {
      case 'l1-block':
        return { kind: 'l1-block', chainId: 0n, blockHeight: serial, blockHash };
      case 'l1-transaction':
        return { kind: 'l1-transaction', chainId: 0n, blockHash, txid: sha3(blockHash) };
      case 'l2-transaction':
        return {
          kind: 'l2-transaction',
          data: {
            sender: OWNERS[step.sender % OWNERS.length]!,
            sequenceNumber: serial,
            chainId: 4n,
            maxGasAmount: 1_000_000n,
            action: { kind: 'script', code: new Uint8Array(0), typeArguments: [], arguments: [] },
          },
          authenticator: { validatorId: 1n, payload: blockHash },
        };
    }
  }
}

/** What the engine's default genesis is made of, as the model's first input. */
export async function genesisModel(): Promise<{ model: ChainModel; size: bigint }> {
  const { transaction, timestamp, output } = await localGenesis({});
  const model = new ChainModel();
  const data: LedgerTransactionData = { kind: 'l2-transaction', ...transaction };
  model.apply({ ...output, data, hash: ledgerTransactionHash(data), time: timestamp });
  return { model, size: output.changeSet.globalSize };
}

function execute(state: State, plan: Plan): ExecutionOutput {
  const changeSet = { stateRoot: state.root, globalSize: plan.globalSize, changes: withRoots(plan.changes, state) };
  return { status: { kind: 'executed' }, gasUsed: 0n, changeSet, events: plan.events };
}

/** Puts the roots that the objects have in the state into the places left for them. */
function withRoots(changes: FieldChanges, state: State): FieldChanges {
  return changes.map(([key, change]) => {
    const { id, stateRoot } = change.meta;
    const root = stateRoot === undefined ? undefined : state.object(id)?.meta.stateRoot;
    return [
      key,
      { ...change, meta: { ...change.meta, stateRoot: root }, fields: withRoots([...change.fields], state) },
    ];
  });
}

function changesOf(touched: Map<string, Touched>): FieldChanges {
  return [...touched.entries()]
    .sort(([left], [right]) => (left < right ? -1 : 1))
    .map(([, { before, meta, value, isReset, fields }]): readonly [Uint8Array, ObjectChange] => {
      const stateRoot = before?.hasRoot === true && !isReset ? ROOT_AS_IT_IS : undefined;
      return [meta.id.at(-1)!, { meta: { ...meta, stateRoot }, value, fields: changesOf(fields) }];
    });
}

/** Turns actions into changes, one action for an object and step, so that each means the same in any step. */
class Planner {
  readonly #model: ChainModel;
  readonly #root: Map<string, Touched>;
  readonly #now: bigint;
  readonly #fresh: () => Uint8Array;
  size: bigint;

  constructor(model: ChainModel, root: Map<string, Touched>, now: bigint, size: bigint, fresh: () => Uint8Array) {
    this.#model = model;
    this.#root = root;
    this.#now = now;
    this.#fresh = fresh;
    this.size = size;
  }

  act({ kind, pick, owner: ownerPick, type: typePick, value }: ScriptAction): void {
    const owner = OWNERS[ownerPick % OWNERS.length]!;
    const type = TYPES[typePick % TYPES.length]!;
    switch (kind) {
      case 'create':
        this.#create([this.#fresh()], type, owner, value);
        return;
      case 'create-child':
        this.#create([...this.#holder(pick), this.#fresh()], type, owner, value);
        return;
      case 'create-utxo': {
        const output = { txid: sha3(Uint8Array.of(pick % 6)), vout: typePick % 3 };
        const content = encode(utxo, { ...output, value: BigInt(ownerPick), seals: [] });
        this.#create(utxoObjectId(output), UTXO_TYPE, owner, content);
        return;
      }
      case 'create-inscription': {
        const id = { txid: sha3(Uint8Array.of(pick % 6)), index: typePick % 3 };
        this.#create(inscriptionObjectId(id), INSCRIPTION_TYPE, owner, contentOf(INSCRIPTION_TYPE, value));
        return;
      }
      case 'create-coin':
        this.#coin(COINS[typePick % COINS.length]!, owner, BigInt(pick), ownerPick % 2 === 0);
        return;
      case 'add-field': {
        const name = FIELD_NAMES[typePick % FIELD_NAMES.length]!;
        const id = [...this.#holder(pick), deriveFieldKey(name.bytes, name.type)];
        const fieldType = dynamicFieldType(name.type, structType(type));
        this.#create(id, fieldType, addressOf(0), concatBytes(name.bytes, value));
        return;
      }
      default:
        this.#change(kind, this.#pick(pick), owner, type, value);
    }
  }

  /** The coin's description if it is missing, and what an account holds of it in one of the two places. */
  #coin(coin: StructTag, owner: Address, balance: bigint, isSingle: boolean): void {
    const name = canonicalStruct(coin);
    const description = { coinType: name, name: 'Coin', symbol: 'C', iconUrl: undefined, decimals: 2, supply: 9n };
    this.#create(coinInfoId(coin), coinInfoType(coin), addressOf(3), encode(coinInfo, description));
    if (isSingle) {
      const content = encode(coinStore, { balance, frozen: false });
      this.#create(accountCoinStoreId(owner, coin), coinStoreType(coin), owner, content);
      return;
    }
    this.#create(multiCoinStoreId(owner), MULTI_COIN_STORE_TYPE, owner, Uint8Array.of(0));
    const content = encode(coinStoreField, { coinType: name, balance, frozen: false });
    const fieldType = dynamicFieldType(
      STRING_TYPE,
      structType(parseStructTag('0x3::multi_coin_store::CoinStoreField')),
    );
    const id = [...multiCoinStoreId(owner), multiCoinFieldKey(coin)];
    this.#create(id, fieldType, addressOf(0), concatBytes(encode(string, name), content));
  }

  /** Does nothing if the object exists, or if what contains it goes away in this step. */
  #create(id: ObjectId, objectType: StructTag, owner: Address, value: Uint8Array): void {
    if (this.#model.objects.has(formatObjectId(id)) || this.#find(id) !== undefined) return;
    const holder = this.#open(parentObjectId(id) ?? []);
    if (holder === undefined) return;
    const meta = { id, owner, flag: 0, size: 0n, createdAt: this.#now, updatedAt: this.#now, objectType };
    holder.set(toHex(id.at(-1)!), {
      before: undefined,
      meta,
      value: { kind: 'new', value },
      isReset: false,
      isOwn: true,
      fields: new Map(),
    });
    this.#resize(id, 1n);
  }

  #change(kind: ScriptAction['kind'], object: ModelObject, owner: Address, type: StructTag, value: Uint8Array): void {
    const { id } = object;
    const parent = parentObjectId(id) ?? [];
    if (this.#find(id)?.isOwn === true || this.#find(parent)?.isReset === true || this.#open(parent) === undefined)
      return;
    const touched = this.#touch(object);
    if (kind === 'delete' || kind === 'reset') {
      if (touched.fields.size > 0 || this.#isOfGenesis(id)) return;
    }
    touched.isOwn = true;
    switch (kind) {
      case 'modify':
        touched.value = {
          kind: 'modify',
          value: this.#isOfGenesis(id) ? object.value : contentOf(touched.meta.objectType, value),
        };
        touched.meta = { ...touched.meta, updatedAt: this.#now };
        return;
      case 'transfer':
        touched.meta = { ...touched.meta, owner: this.#isOfGenesis(id) ? touched.meta.owner : owner };
        return;
      case 'delete':
        touched.value = { kind: 'delete' };
        this.#resize(id, -1n);
        return;
      case 'reset': {
        touched.isReset = true;
        const content = contentOf(touched.meta.objectType, concatBytes(value, object.value));
        touched.value = { kind: 'modify', value: content };
        const times = { createdAt: this.#now, updatedAt: this.#now };
        const isField = touched.meta.objectType.name === 'DynamicField';
        const isPlain = isField || !TYPES.includes(touched.meta.objectType);
        const objectType = isPlain ? touched.meta.objectType : type;
        touched.meta = { ...touched.meta, ...times, size: 0n, flag: 0, objectType };
        return;
      }
      default:
    }
  }

  /** Coins and what genesis made stay as they are, so that every question can be asked of every chain. */
  #isOfGenesis(id: ObjectId): boolean {
    const object = this.#model.objects.get(formatObjectId(id));
    if (object === undefined || object.meta.createdAt === GENESIS_TIMESTAMP_DEFAULT) return true;
    const { name, typeArguments } = object.meta.objectType;
    const [, held] = typeArguments;
    const isCoinField = held?.kind === 'struct' && held.struct.name === 'CoinStoreField';
    return name === 'CoinInfo' || name === 'CoinStore' || name === 'MultiCoinStore' || isCoinField;
  }

  #pick(pick: number): ModelObject {
    const objects = [...this.#model.objects.values()].sort((left, right) =>
      Number(right.meta.updatedAt - left.meta.updatedAt),
    );
    return objects[pick % objects.length]!;
  }

  /** An object that may hold anything: a multi coin store holds coins only. */
  #holder(pick: number): ObjectId {
    const { id, meta } = this.#pick(pick);
    return meta.objectType.name === 'MultiCoinStore' ? (parentObjectId(id) ?? []) : id;
  }

  #resize(id: ObjectId, by: bigint): void {
    const parent = parentObjectId(id) ?? [];
    const holder = this.#find(parent);
    if (parent.length === 0) this.size += by;
    else if (holder !== undefined) holder.meta = { ...holder.meta, size: holder.meta.size + by };
  }

  #find(id: ObjectId): Touched | undefined {
    let fields = this.#root;
    let found: Touched | undefined;
    for (const part of id) {
      found = fields.get(toHex(part));
      if (found === undefined) return undefined;
      fields = found.fields;
    }
    return found;
  }

  /** The changes to an object's fields, itself and all above it touched; undefined below what goes away. */
  #open(id: ObjectId): Map<string, Touched> | undefined {
    let fields = this.#root;
    for (let depth = 1; depth <= id.length; depth++) {
      const part = id.slice(0, depth);
      const known = this.#find(part);
      const object = this.#model.objects.get(formatObjectId(part));
      if (known === undefined && object === undefined) return undefined;
      const touched = known ?? this.#touch(object!);
      // Below an object that starts over, only what is made in this step exists.
      if (touched.value?.kind === 'delete' || (touched.isReset && depth < id.length)) return undefined;
      fields = touched.fields;
    }
    return fields;
  }

  #touch(object: ModelObject): Touched {
    const known = this.#find(object.id);
    if (known !== undefined) return known;
    const holder = this.#open(parentObjectId(object.id) ?? [])!;
    const touched: Touched = {
      before: object,
      meta: object.meta,
      value: undefined,
      isReset: false,
      isOwn: false,
      fields: new Map(),
    };
    holder.set(toHex(object.id.at(-1)!), touched);
    return touched;
  }
}
