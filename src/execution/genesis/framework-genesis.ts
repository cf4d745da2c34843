/**
 * The genesis of local and dev chains: our framework at 0x1 to 0x4, the objects that the node and its contracts rely
 * on, and funded accounts whose keys are public.
 *
 * Everything follows from the options, so two engines with the same options have the same genesis hash, state root and
 * object ids. The objects, their types, ids, owners and flags are those of the reference's test network (its genesis
 * file), so clients find the same records. The features are those that the reference gives a chain of
 * the same id.
 *
 * The objects of a genesis are collected by id and become one change set, with sizes, parents and fresh ids derived.
 * Each method that adds one knows where objects of that kind belong: a named one at the id of its type, a resource
 * under its account.
 * @module
 */
import { type Codec, encode } from '../../base/bcs/codec.ts';
import { struct, vector } from '../../base/bcs/composite.ts';
import { bytes, string, u8, u64 } from '../../base/bcs/primitive.ts';
import { concatBytes } from '../../base/bytes/compare.ts';
import { toHex } from '../../base/bytes/hex.ts';
import { CHAIN_ID_DEV, CHAIN_ID_LOCAL, CHAIN_ID_MAIN, CHAIN_ID_TEST } from '../../base/config.ts';
import { assert } from '../../base/error.ts';
import { sha3 } from '../../base/hash/sha3.ts';
import { parseBitcoinAddress } from '../../bitcoin/address.ts';
import { babylonParameters } from '../../bitcoin/babylon.ts';
import { parseBitcoinHash } from '../../bitcoin/hash.ts';
import { BITCOIN_NETWORKS, type BitcoinNetwork } from '../../bitcoin/network.ts';
import type { FieldChanges, ObjectChange, StateChangeSet } from '../../chain/object/change-set.ts';
import { deriveFieldKey, resourceFieldKey, STRING_TYPE } from '../../chain/object/field-key.ts';
import {
  accountNamedObjectId,
  accountObjectId,
  childObjectId,
  formatObjectId,
  freshAddress,
  MODULE_STORE_TYPE,
  namedObjectId,
  type ObjectId,
  objectId,
  PACKAGE_TYPE,
  packageObjectId,
} from '../../chain/object/object-id.ts';
import { dynamicFieldType, FLAG_FROZEN, FLAG_SHARED } from '../../chain/object/object-state.ts';
import type { TransactionEvent } from '../../chain/transaction/event.ts';
import { EMPTY_AUTHENTICATOR, type SignedTransaction, transactionHash } from '../../chain/transaction/signed.ts';
import {
  type Address,
  address,
  addressOf,
  BITCOIN_MOVE_ADDRESS,
  FRAMEWORK_ADDRESS,
  MOVEOS_STD_ADDRESS,
  parseAddressHex,
  SYSTEM_ADDRESS,
} from '../../move/address.ts';
import { canonicalStruct, type StructTag, structTag, structType, type TypeTag } from '../../move/type-tag.ts';
import { EMPTY_ROOT } from '../../store/tree/tree.ts';
import { ADDRESS_MAPPING_ID, ADDRESS_MAPPING_TYPE, BITCOIN_ADDRESS_TYPE } from '../bitcoin-move/address-mapping.ts';
import { BABYLON_VERSIONS } from '../bitcoin-move/stake.ts';
import { ACCOUNT_TYPE, account } from '../framework/account.ts';
import { DEV_SEQUENCER } from '../framework/accounts.ts';
import {
  accountCoinStoreId,
  type CoinInfo,
  coinInfo,
  coinInfoId,
  coinInfoType,
  coinStore,
  coinStoreCreateEvent,
  coinStoreTransferEvent,
  coinStoreType,
  coinSupplyEvent,
  GAS_COIN_TYPE,
} from '../framework/coin.ts';
import { FRAMEWORK_PACKAGES } from '../framework/framework.ts';
import {
  GAS_SCHEDULE_TYPE,
  GENESIS_GAS_ENTRIES,
  GENESIS_TRANSACTION_GAS_MAX,
  gasSchedule,
} from '../framework/gas-schedule.ts';
import { ONCHAIN_CONFIG_TYPE, type OnchainConfig, onchainConfig } from '../framework/onchain-config.ts';
import { authValidator } from '../framework/transaction.ts';
import {
  FEATURE_COMPATIBILITY_CHECKER_V2,
  FEATURE_DEVNET,
  FEATURE_LOCALNET,
  FEATURE_MODULE_PUBLISHING_ALLOWLIST,
  FEATURE_MODULE_TEMPLATE,
  FEATURE_TESTNET,
  FEATURE_VALUE_SIZE_GAS,
  featureStore,
} from '../runtime/features.ts';
import { type Genesis, type GenesisAccount, genesisAccount } from './genesis.ts';

export interface GenesisObject {
  readonly id: ObjectId;
  readonly type: StructTag;
  /** BCS of the Move value. */
  readonly value: Uint8Array;
  /** Default: the system. */
  readonly owner?: Address;
  /** Default: 0. */
  readonly flag?: number;
}

/** The one hidden bool of a Move struct without fields. */
export const EMPTY_STRUCT: Uint8Array = Uint8Array.of(0);

const TABLE_TYPE = structTag(MOVEOS_STD_ADDRESS, 'table', 'TablePlaceholder');

interface Entry {
  readonly object: GenesisObject;
  readonly fields: Map<string, Entry>;
}

export class GenesisObjects {
  readonly #timestamp: bigint;
  readonly #transactionHash: Uint8Array;
  readonly #root = new Map<string, Entry>();
  #freshIds = 0n;

  /** `timestamp`, in milliseconds, is the creation time of every object. */
  constructor(transactionHash: Uint8Array, timestamp: bigint) {
    this.#transactionHash = transactionHash;
    this.#timestamp = timestamp;
  }

  /** The next fresh id of the genesis transaction. */
  freshId(): ObjectId {
    return [freshAddress(this.#transactionHash, this.#freshIds++)];
  }

  /** Adds an object; its parent must have been added. */
  add(object: GenesisObject): void {
    const siblings = this.#fieldsOf(object.id.slice(0, -1));
    const own = object.id[object.id.length - 1];
    assert(own !== undefined, 'the root object is not a genesis object');
    assert(!siblings.has(toHex(own)), `the genesis object ${formatObjectId(object.id)} is added twice`);
    siblings.set(toHex(own), { object, fields: new Map() });
  }

  /** Adds a dynamic field of `parent`. */
  addField<N, V>(
    parent: ObjectId,
    name: { readonly type: TypeTag; readonly codec: Codec<N>; readonly value: N },
    value: { readonly type: TypeTag; readonly codec: Codec<V>; readonly value: V },
  ): void {
    const nameBytes = encode(name.codec, name.value);
    this.add({
      id: childObjectId(parent, deriveFieldKey(nameBytes, name.type)),
      type: dynamicFieldType(name.type, value.type),
      value: concatBytes(nameBytes, encode(value.codec, value.value)),
    });
  }

  /** Adds the only object of its type, at the id that the type gives. */
  addNamed(type: StructTag, value: Uint8Array, owner: Address, flag = 0): void {
    this.add({ id: namedObjectId(type), type, value, owner, flag });
  }

  /** Adds an account that has sent nothing yet. */
  addAccount(owner: Address): void {
    const value = encode(account, { address: owner, sequenceNumber: 0n });
    this.add({ id: accountObjectId(owner), type: ACCOUNT_TYPE, value, owner });
  }

  /** Adds a resource of an account; `value` as BCS. */
  addResource(owner: Address, type: StructTag, value: Uint8Array): void {
    this.add({
      id: childObjectId(accountObjectId(owner), resourceFieldKey(type)),
      type: dynamicFieldType(STRING_TYPE, structType(type)),
      value: concatBytes(encode(string, canonicalStruct(type)), value),
    });
  }

  /** Adds the handle object of a new, empty table, and returns its id. */
  addTable(): ObjectId {
    const id = this.freshId();
    this.add({ id, type: TABLE_TYPE, value: EMPTY_STRUCT });
    return id;
  }

  /** `uncounted`: top-level objects that existed before the transaction and do not count in the root's size. */
  changeSet(uncounted: number): StateChangeSet {
    const changes = this.#changes(this.#root);
    return { stateRoot: EMPTY_ROOT, globalSize: BigInt(changes.length - uncounted), changes };
  }

  #fieldsOf(id: ObjectId): Map<string, Entry> {
    let fields = this.#root;
    for (const part of id) {
      const entry = fields.get(toHex(part));
      assert(entry !== undefined, `the genesis object ${formatObjectId(id)} has fields but was not added`);
      fields = entry.fields;
    }
    return fields;
  }

  #changes(entries: Map<string, Entry>): FieldChanges {
    return [...entries.entries()]
      .sort(([left], [right]) => (left < right ? -1 : 1))
      .map(([, entry]) => [entry.object.id[entry.object.id.length - 1]!, this.#change(entry)]);
  }

  #change({ object, fields }: Entry): ObjectChange {
    const { id, type, value, owner = SYSTEM_ADDRESS, flag = 0 } = object;
    return {
      meta: {
        id,
        owner,
        flag,
        stateRoot: undefined,
        size: BigInt(fields.size),
        createdAt: this.#timestamp,
        updatedAt: this.#timestamp,
        objectType: type,
      },
      value: { kind: 'new', value },
      fields: this.#changes(fields),
    };
  }
}

/** Gas that the genesis transaction may use: all of u64, as in the reference. */
const GENESIS_GAS_AMOUNT_MAX = 0xffff_ffff_ffff_ffffn;

export interface FrameworkGenesisOptions {
  readonly chainId: bigint;
  /** Milliseconds. */
  readonly timestamp: bigint;
  readonly bitcoinNetwork: BitcoinNetwork;
  /** The number of blocks that a longer branch may still replace; older ones are confirmed. */
  readonly reorganisationDepth: bigint;
  readonly accounts: readonly GenesisAccount[];
}

const GAS_COIN_DECIMALS = 8;
const RESERVED_ACCOUNTS = 10;
/** Timestamp and ModuleStore exist before the genesis transaction, as in the reference. */
const UNCOUNTED_OBJECTS = 2;
const EMPTY_VECTOR = Uint8Array.of(0);
const LOCAL_OR_DEV = [FEATURE_DEVNET, FEATURE_COMPATIBILITY_CHECKER_V2];
const NOT_MAIN = [FEATURE_MODULE_TEMPLATE];
const KNOWN_TEST = [FEATURE_TESTNET, FEATURE_VALUE_SIZE_GAS, ...NOT_MAIN];
/**
 * The features by chain id; other chains have those of `NOT_MAIN`. As `0x3::onchain_config` chooses them, but for
 * WASM: the modules that it is for, at 0xa, do not exist here.
 */
const FEATURES: ReadonlyMap<bigint, readonly number[]> = new Map([
  [CHAIN_ID_MAIN, [FEATURE_MODULE_PUBLISHING_ALLOWLIST]],
  [CHAIN_ID_TEST, KNOWN_TEST],
  [CHAIN_ID_DEV, [...LOCAL_OR_DEV, ...KNOWN_TEST]],
  [CHAIN_ID_LOCAL, [FEATURE_LOCALNET, ...LOCAL_OR_DEV, ...KNOWN_TEST]],
]);
/** Four u32 and one u64 counter, all zero. */
const INSCRIPTION_STORE_BYTES = 24;
/** Blocks, heights both ways, transactions, their heights, their list. */
const BLOCK_STORE_TABLES = 6;

/** The genesis of our framework with these options. */
export function frameworkGenesis(options: FrameworkGenesisOptions): Genesis {
  const transaction = genesisTransaction(options.chainId);
  const hash = transactionHash(transaction.data);
  const builder = new FrameworkGenesis(options, hash);
  builder.packages();
  builder.moveosObjects();
  builder.rooch();
  builder.bitcoin();
  builder.accounts();
  const changeSet = builder.objects.changeSet(UNCOUNTED_OBJECTS);
  return {
    hash: frameworkGenesisHash(hash, options),
    chainId: options.chainId,
    timestamp: options.timestamp,
    transaction,
    output: { status: { kind: 'executed' }, gasUsed: 0n, changeSet, events: builder.events },
    unloadedRoots: [],
  };
}

/** Identifies the genesis of a framework with these options; `transaction` is the hash of its transaction. */
export function frameworkGenesisHash(transaction: Uint8Array, options: FrameworkGenesisOptions): Uint8Array {
  return sha3(concatBytes(transaction, encode(genesisSettings, options)));
}

function genesisTransaction(chainId: bigint): SignedTransaction {
  const modules = FRAMEWORK_PACKAGES.flatMap(({ modules: own }) => own.map(({ bytes: code }) => code));
  return {
    data: {
      sender: FRAMEWORK_ADDRESS,
      sequenceNumber: 0n,
      chainId,
      maxGasAmount: GENESIS_GAS_AMOUNT_MAX,
      action: { kind: 'modules', modules },
    },
    authenticator: EMPTY_AUTHENTICATOR,
  };
}

/** What distinguishes two geneses of the same framework. */
const genesisSettings: Codec<FrameworkGenesisOptions> = struct<FrameworkGenesisOptions>({
  chainId: u64,
  timestamp: u64,
  bitcoinNetwork: string as Codec<BitcoinNetwork>,
  reorganisationDepth: u64,
  accounts: vector(genesisAccount),
});

class FrameworkGenesis {
  readonly objects: GenesisObjects;
  readonly events: TransactionEvent[] = [];
  readonly #options: FrameworkGenesisOptions;

  constructor(options: FrameworkGenesisOptions, hash: Uint8Array) {
    this.#options = options;
    this.objects = new GenesisObjects(hash, options.timestamp);
  }

  /** The module store with the four packages, and the accounts that may publish without an upgrade capability. */
  packages(): void {
    this.objects.addNamed(MODULE_STORE_TYPE, EMPTY_STRUCT, SYSTEM_ADDRESS, FLAG_SHARED);
    for (const framework of FRAMEWORK_PACKAGES) {
      const id = packageObjectId(framework.address);
      this.objects.add({ id, type: PACKAGE_TYPE, value: encode(u64, 0n), owner: framework.address });
      for (const module of framework.modules) {
        this.objects.addField(
          id,
          { type: STRING_TYPE, codec: string, value: module.name },
          { type: structType(MOVE_MODULE_TYPE), codec: bytes, value: module.bytes },
        );
      }
      const capability = structTag(MOVEOS_STD_ADDRESS, 'module_store', 'UpgradeCap');
      this.objects.add({
        id: accountNamedObjectId(framework.address, capability),
        type: capability,
        value: encode(address, framework.address),
        owner: SEQUENCER_ADDRESS,
      });
    }
    this.objects.addNamed(
      structTag(MOVEOS_STD_ADDRESS, 'module_store', 'Allowlist'),
      EMPTY_VECTOR,
      SYSTEM_ADDRESS,
      FLAG_SHARED,
    );
  }

  /** The reserved accounts and the objects of 0x2. */
  moveosObjects(): void {
    for (let number = 1; number <= RESERVED_ACCOUNTS; number++) this.objects.addAccount(addressOf(number));
    const timestamp = structTag(MOVEOS_STD_ADDRESS, 'timestamp', 'Timestamp');
    this.objects.addNamed(timestamp, encode(u64, this.#options.timestamp), SYSTEM_ADDRESS, FLAG_SHARED);
    const schedule = { version: 0n, maxGasAmount: GENESIS_TRANSACTION_GAS_MAX, entries: GENESIS_GAS_ENTRIES };
    this.objects.addNamed(GAS_SCHEDULE_TYPE, encode(gasSchedule, schedule), MOVEOS_STD_ADDRESS);
    const features = structTag(MOVEOS_STD_ADDRESS, 'features', 'FeatureStore');
    const enabled = FEATURES.get(this.#options.chainId) ?? NOT_MAIN;
    this.objects.addNamed(features, featureStore(enabled), SYSTEM_ADDRESS, FLAG_SHARED);
  }

  /** The objects of 0x3. */
  rooch(): void {
    const own = (module: string, name: string): StructTag => structTag(FRAMEWORK_ADDRESS, module, name);
    this.objects.addNamed(own('chain_id', 'ChainID'), encode(u64, this.#options.chainId), SYSTEM_ADDRESS, FLAG_FROZEN);
    this.objects.addNamed(ONCHAIN_CONFIG_TYPE, encode(onchainConfig, ONCHAIN_CONFIG), FRAMEWORK_ADDRESS);
    this.objects.addNamed(own('onchain_config', 'ConfigUpdateCap'), EMPTY_STRUCT, SEQUENCER_ADDRESS);
    this.objects.addNamed(ADDRESS_MAPPING_TYPE, EMPTY_STRUCT, FRAMEWORK_ADDRESS);
    this.objects.addNamed(own('address_mapping', 'MultiChainAddressMapping'), EMPTY_STRUCT, FRAMEWORK_ADDRESS);
    this.objects.addNamed(own('indexer', 'FieldIndexerTablePlaceholder'), EMPTY_STRUCT, FRAMEWORK_ADDRESS);
    this.objects.addNamed(own('empty', 'Empty'), EMPTY_STRUCT, SYSTEM_ADDRESS, FLAG_SHARED);
    this.objects.addResource(
      FRAMEWORK_ADDRESS,
      own('account_coin_store', 'AutoAcceptCoins'),
      encode(objectId, this.objects.addTable()),
    );
    this.#validators();
    this.objects.addNamed(own('did', 'DIDRegistry'), encode(objectId, this.objects.addTable()), FRAMEWORK_ADDRESS);
    this.#gasCoin();
  }

  /** The registry of authentication validators: by number in one table, by type in another. */
  #validators(): void {
    const byNumber = this.objects.addTable();
    const byType = this.objects.freshId();
    this.objects.add({
      id: byType,
      type: structTag(MOVEOS_STD_ADDRESS, 'type_table', 'TablePlaceholder'),
      value: EMPTY_STRUCT,
    });
    const registry = structTag(FRAMEWORK_ADDRESS, 'auth_validator_registry', 'ValidatorRegistry');
    const value = concatBytes(
      encode(u64, CONTRACT_VALIDATOR_ID_MIN),
      encode(objectId, byNumber),
      encode(objectId, byType),
    );
    this.objects.addResource(FRAMEWORK_ADDRESS, registry, value);
    VALIDATORS.forEach(([owner, module, name], index) => {
      const id = BigInt(index);
      const validator = structTag(owner, module, name);
      this.objects.addField(
        byNumber,
        { type: { kind: 'u64' }, codec: u64, value: id },
        {
          type: structType(structTag(FRAMEWORK_ADDRESS, 'auth_validator', 'AuthValidator')),
          codec: authValidator,
          value: { id, moduleAddress: owner, moduleName: module },
        },
      );
      const withType = structTag(FRAMEWORK_ADDRESS, 'auth_validator_registry', 'AuthValidatorWithType', [
        structType(validator),
      ]);
      this.objects.addField(
        byType,
        { type: STRING_TYPE, codec: string, value: canonicalStruct(withType) },
        { type: structType(withType), codec: u64, value: id },
      );
    });
  }

  /** The gas coin, whose supply is what the accounts hold, and the pool that collects fees. */
  #gasCoin(): void {
    const supply = this.#options.accounts.reduce((sum, { balance }) => sum + balance, 0n);
    const description = {
      coinType: GAS_COIN_NAME,
      name: 'Rooch Gas Coin',
      symbol: 'RGAS',
      iconUrl: undefined,
      decimals: GAS_COIN_DECIMALS,
      supply,
    };
    this.objects.addNamed(coinInfoType(GAS_COIN_TYPE), encode(coinInfo, description), FRAMEWORK_ADDRESS);
    const registry = structTag(FRAMEWORK_ADDRESS, 'coin', 'CoinRegistry');
    this.objects.addNamed(registry, EMPTY_STRUCT, FRAMEWORK_ADDRESS);
    this.objects.addField(
      namedObjectId(registry),
      { type: STRING_TYPE, codec: string, value: GAS_COIN_NAME },
      {
        type: structType(structTag(FRAMEWORK_ADDRESS, 'coin', 'CoinMetadata')),
        codec: coinMetadata,
        value: { coinInfoId: coinInfoId(GAS_COIN_TYPE), info: description },
      },
    );
    const fees = this.objects.freshId();
    this.objects.add({
      id: fees,
      type: coinStoreType(GAS_COIN_TYPE),
      value: encode(coinStore, { balance: 0n, frozen: false }),
    });
    this.#emit(
      'coin_store',
      'CreateEvent',
      encode(coinStoreCreateEvent, { coinStoreId: fees, coinType: GAS_COIN_NAME }),
    );
    const pool = structTag(FRAMEWORK_ADDRESS, 'transaction_fee', 'TransactionFeePool');
    this.objects.addNamed(pool, encode(objectId, fees), FRAMEWORK_ADDRESS);
    this.#emit('coin', 'MintEvent', encode(coinSupplyEvent, { coinType: GAS_COIN_NAME, amount: supply }));
  }

  /** The objects of 0x4, before the first block. */
  bitcoin(): void {
    const own = (module: string, name: string): StructTag => structTag(BITCOIN_MOVE_ADDRESS, module, name);
    const network = BITCOIN_NETWORKS[this.#options.bitcoinNetwork].id;
    this.objects.addNamed(own('network', 'BitcoinNetwork'), encode(u8, network), SYSTEM_ADDRESS, FLAG_SHARED);
    this.objects.addNamed(own('utxo', 'BitcoinUTXOStore'), EMPTY_STRUCT, SYSTEM_ADDRESS, FLAG_SHARED);
    this.objects.addNamed(
      own('ord', 'InscriptionStore'),
      new Uint8Array(INSCRIPTION_STORE_BYTES),
      SYSTEM_ADDRESS,
      FLAG_SHARED,
    );
    this.#babylon(own('bbn', 'BBNGlobalParams'));
    const pending = concatBytes(EMPTY_VECTOR, EMPTY_VECTOR, encode(u64, this.#options.reorganisationDepth));
    this.objects.addNamed(own('pending_block', 'PendingStore'), pending, BITCOIN_MOVE_ADDRESS);
    const tables = Array.from({ length: BLOCK_STORE_TABLES }, () => encode(objectId, this.objects.addTable()));
    const start = parseBitcoinHash(BITCOIN_NETWORKS[this.#options.bitcoinNetwork].genesisHash);
    const store = concatBytes(encode(u64, 0n), start, EMPTY_VECTOR, ...tables);
    this.objects.addNamed(own('bitcoin', 'BitcoinBlockStore'), store, SYSTEM_ADDRESS, FLAG_SHARED);
  }

  /** Babylon's parameters, each version in a field; the object names the last one. */
  #babylon(type: StructTag): void {
    const last = BABYLON_VERSIONS[BABYLON_VERSIONS.length - 1]!;
    this.objects.addNamed(type, encode(u64, last.version), SYSTEM_ADDRESS, FLAG_SHARED);
    for (const value of BABYLON_VERSIONS) {
      const name = value.version === 0n ? 'BBNGlobalParamV0' : 'BBNGlobalParamV1';
      this.objects.addField(
        namedObjectId(type),
        { type: { kind: 'u64' }, codec: u64, value: value.version },
        { type: structType(structTag(BITCOIN_MOVE_ADDRESS, 'bbn', name)), codec: babylonParameters, value },
      );
    }
  }

  /** The funded accounts, each with its Bitcoin address on record, and the sequencer's. */
  accounts(): void {
    this.objects.addAccount(SEQUENCER_ADDRESS);
    this.#mapAddress(SEQUENCER_ADDRESS, parseBitcoinAddress(DEV_SEQUENCER.mainnetAddress));
    for (const { address: owner, bitcoinAddress, balance } of this.#options.accounts) {
      this.objects.addAccount(owner);
      this.#mapAddress(owner, bitcoinAddress);
      const coinStoreId = accountCoinStoreId(owner, GAS_COIN_TYPE);
      this.objects.add({
        id: coinStoreId,
        type: coinStoreType(GAS_COIN_TYPE),
        value: encode(coinStore, { balance, frozen: false }),
        owner,
      });
      this.#emit('coin_store', 'CreateEvent', encode(coinStoreCreateEvent, { coinStoreId, coinType: GAS_COIN_NAME }));
      const deposit = { coinStoreId, coinType: GAS_COIN_NAME, amount: balance };
      this.#emit('coin_store', 'DepositEvent', encode(coinStoreTransferEvent, deposit));
    }
  }

  #mapAddress(owner: Address, bitcoinAddress: Uint8Array): void {
    this.objects.addField(
      ADDRESS_MAPPING_ID,
      { type: { kind: 'address' }, codec: address, value: owner },
      { type: structType(BITCOIN_ADDRESS_TYPE), codec: bytes, value: bitcoinAddress },
    );
  }

  #emit(module: string, name: string, eventData: Uint8Array): void {
    const eventType = structTag(FRAMEWORK_ADDRESS, module, name);
    this.events.push({
      eventType,
      eventData,
      eventIndex: BigInt(this.events.length),
      handle: namedObjectId(eventType),
    });
  }
}

const MOVE_MODULE_TYPE: StructTag = structTag(MOVEOS_STD_ADDRESS, 'move_module', 'MoveModule');
const GAS_COIN_NAME = canonicalStruct(GAS_COIN_TYPE);
const SEQUENCER_ADDRESS = parseAddressHex(DEV_SEQUENCER.address);

/** The first number for validators that contracts register. */
const CONTRACT_VALIDATOR_ID_MIN = 100n;

/** In the order of their numbers. */
const VALIDATORS: readonly (readonly [owner: Address, module: string, name: string])[] = [
  [FRAMEWORK_ADDRESS, 'session_validator', 'SessionValidator'],
  [FRAMEWORK_ADDRESS, 'bitcoin_validator', 'BitcoinValidator'],
  [BITCOIN_MOVE_ADDRESS, 'bitcoin_multisign_validator', 'BitcoinMultisignValidator'],
  [FRAMEWORK_ADDRESS, 'webauthn_validator', 'WebauthnValidator'],
  [FRAMEWORK_ADDRESS, 'did_validator', 'DIDValidator'],
];

const ONCHAIN_CONFIG: OnchainConfig = { frameworkVersion: 0n, sequencer: SEQUENCER_ADDRESS, dao: SEQUENCER_ADDRESS };

interface CoinMetadata {
  readonly coinInfoId: ObjectId;
  readonly info: CoinInfo;
}

/** `0x3::coin::CoinMetadata`: the id of the coin's info, followed by the same fields as the info. */
const coinMetadata: Codec<CoinMetadata> = struct<CoinMetadata>({ coinInfoId: objectId, info: coinInfo });
