/**
 * The genesis of local and dev chains: our framework at 0x1 to 0x4, the objects that the node and its contracts rely
 * on, and funded accounts with well-known keys.
 *
 * Everything follows from the options, so two engines with the same options have the same genesis hash, state root and
 * object ids. The objects, their types, ids, owners and flags are those of the reference's test network (its genesis
 * file), so clients find the same records. The features are those that the reference gives a chain of the same id. The
 * objects are created in a session on an empty state.
 * @module
 */
import { type Codec, encode, string, struct, u8, u64, vector } from '../../base/bcs.ts';
import { concatBytes } from '../../base/bytes/bytes.ts';
import { CHAIN_ID_DEV, CHAIN_ID_LOCAL, CHAIN_ID_MAIN, CHAIN_ID_TEST } from '../../base/config.ts';
import { sha3Joined } from '../../base/hash/sha3.ts';
import { parseBitcoinAddress } from '../../bitcoin/address.ts';
import { babylonParameters } from '../../bitcoin/babylon.ts';
import { parseBitcoinHash } from '../../bitcoin/hash.ts';
import { BITCOIN_NETWORKS, type BitcoinNetwork } from '../../bitcoin/network.ts';
import {
  accountNamedObjectId,
  accountObjectId,
  freshAddress,
  MODULE_STORE_TYPE,
  namedObjectId,
  type ObjectId,
  objectId,
} from '../../chain/object/object-id.ts';
import { FLAG_SHARED } from '../../chain/object/object-state.ts';
import { State } from '../../chain/state/state.ts';
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
import { canonicalStruct, type StructTag, structTag, structType } from '../../move/type-tag.ts';
import { NodeCache } from '../../store/tree/cache.ts';
import { EMPTY_ROOT, Tree } from '../../store/tree/tree.ts';
import { ADDRESS_MAPPING_ID, ADDRESS_MAPPING_TYPE, BITCOIN_ADDRESS_BY_OWNER } from '../bitcoin-move/address-mapping.ts';
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
  GAS_COIN_NAME,
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
import { FieldType, MOVE_STRING, MOVE_U64 } from '../runtime/field-type.ts';
import { ObjectRuntime } from '../runtime/object-runtime.ts';
import { freshMeta } from '../runtime/session-meta.ts';
import { type Genesis, type GenesisAccount, genesisAccount } from './genesis.ts';

/** The one hidden bool of a Move struct without fields. */
const EMPTY_STRUCT: Uint8Array = Uint8Array.of(0);

const TABLE_TYPE = structTag(MOVEOS_STD_ADDRESS, 'table', 'TablePlaceholder');
const TIMESTAMP_TYPE = structTag(MOVEOS_STD_ADDRESS, 'timestamp', 'Timestamp');

/** A value already in BCS. */
const ENCODED: Codec<Uint8Array> = {
  write: (writer, value) => writer.bytes(value),
  read: (reader) => reader.bytes.subarray(reader.offset),
};

/** Gas that the genesis transaction may use: all of u64, as in the reference. */
const GENESIS_GAS_AMOUNT_MAX = 0xffff_ffff_ffff_ffffn;

export interface FrameworkGenesisOptions {
  readonly chainId: bigint;
  /** Milliseconds. */
  readonly timestamp: bigint;
  readonly bitcoinNetwork: BitcoinNetwork;
  /** Number of blocks that a longer branch may replace; older ones are confirmed. */
  readonly reorganisationDepth: bigint;
  readonly accounts: readonly GenesisAccount[];
}

const GAS_COIN_DECIMALS = 8;
const RESERVED_ACCOUNTS = 10;
const EMPTY_VECTOR = Uint8Array.of(0);
const LOCAL_OR_DEV = [FEATURE_DEVNET, FEATURE_COMPATIBILITY_CHECKER_V2];
const NOT_MAIN = [FEATURE_MODULE_TEMPLATE];
const KNOWN_TEST = [FEATURE_TESTNET, FEATURE_VALUE_SIZE_GAS, ...NOT_MAIN];
/**
 * The features by chain id; other chains have those of `NOT_MAIN`. As chosen by `0x3::onchain_config`, except for WASM,
 * whose modules at 0xa do not exist here.
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
  const changeSet = builder.objects.changeSet();
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
  return sha3Joined(transaction, encode(genesisSettings, options));
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

/** The options that distinguish geneses of the same framework. */
const genesisSettings: Codec<FrameworkGenesisOptions> = struct({
  chainId: u64,
  timestamp: u64,
  bitcoinNetwork: string as Codec<BitcoinNetwork>,
  reorganisationDepth: u64,
  accounts: vector(genesisAccount),
});

class FrameworkGenesis {
  readonly objects: ObjectRuntime;
  readonly events: TransactionEvent[] = [];
  readonly #options: FrameworkGenesisOptions;
  readonly #transactionHash: Uint8Array;
  #freshIds = 0n;

  constructor(options: FrameworkGenesisOptions, hash: Uint8Array) {
    this.#options = options;
    this.#transactionHash = hash;
    const { timestamp } = options;
    // They exist before the genesis transaction, as in the reference.
    const preloaded = [
      { type: MODULE_STORE_TYPE, value: EMPTY_STRUCT },
      { type: TIMESTAMP_TYPE, value: encode(u64, timestamp) },
    ].map(({ type, value }) => {
      const meta = { ...freshMeta(namedObjectId(type), type), flag: FLAG_SHARED, createdAt: timestamp };
      return { meta, value };
    });
    const nothing = new Tree(() => undefined, new NodeCache());
    this.objects = new ObjectRuntime(new State(nothing, EMPTY_ROOT, 0n), preloaded);
  }

  /** The next fresh id of the genesis transaction. */
  #freshId(): ObjectId {
    return [freshAddress(this.#transactionHash, this.#freshIds++)];
  }

  #add(id: ObjectId, type: StructTag, value: Uint8Array, owner: Address = SYSTEM_ADDRESS): void {
    this.objects.add(id, { tag: type, codec: ENCODED }, value, owner);
  }

  /** Adds the named object of a type, whose id follows from the type. */
  #addNamed(type: StructTag, value: Uint8Array, owner: Address): void {
    this.#add(namedObjectId(type), type, value, owner);
  }

  /** As `#addNamed`, for a shared object. */
  #addShared(type: StructTag, value: Uint8Array): void {
    this.#addNamed(type, value, SYSTEM_ADDRESS);
    this.objects.share(namedObjectId(type));
  }

  /** Adds an account that has sent nothing yet. */
  #addAccount(owner: Address): void {
    this.#add(accountObjectId(owner), ACCOUNT_TYPE, encode(account, { address: owner, sequenceNumber: 0n }), owner);
  }

  /** Adds a resource of an account; `value` as BCS. */
  #addResource(owner: Address, type: StructTag, value: Uint8Array): void {
    const resource = new FieldType(MOVE_STRING, { tag: structType(type), codec: ENCODED });
    this.objects.addField(accountObjectId(owner), resource, canonicalStruct(type), value);
  }

  /** Adds the handle object of a new, empty table, and returns its id. */
  #addTable(type: StructTag = TABLE_TYPE): ObjectId {
    const id = this.#freshId();
    this.#add(id, type, EMPTY_STRUCT);
    return id;
  }

  /** The module store with the four packages, and the accounts that may publish without an upgrade capability. */
  packages(): void {
    for (const framework of FRAMEWORK_PACKAGES) {
      for (const { name, bytes: code } of framework.modules) {
        this.objects.modules.publish(framework.address, name, code);
      }
      const capability = structTag(MOVEOS_STD_ADDRESS, 'module_store', 'UpgradeCap');
      const id = accountNamedObjectId(framework.address, capability);
      this.#add(id, capability, encode(address, framework.address), SEQUENCER_ADDRESS);
    }
    this.#addShared(structTag(MOVEOS_STD_ADDRESS, 'module_store', 'Allowlist'), EMPTY_VECTOR);
  }

  /** The reserved accounts and the objects of 0x2. */
  moveosObjects(): void {
    for (let number = 1; number <= RESERVED_ACCOUNTS; number++) this.#addAccount(addressOf(number));
    const schedule = { version: 0n, maxGasAmount: GENESIS_TRANSACTION_GAS_MAX, entries: GENESIS_GAS_ENTRIES };
    this.#addNamed(GAS_SCHEDULE_TYPE, encode(gasSchedule, schedule), MOVEOS_STD_ADDRESS);
    const features = structTag(MOVEOS_STD_ADDRESS, 'features', 'FeatureStore');
    const enabled = FEATURES.get(this.#options.chainId) ?? NOT_MAIN;
    this.#addShared(features, featureStore(enabled));
  }

  /** The objects of 0x3. */
  rooch(): void {
    const own = (module: string, name: string): StructTag => structTag(FRAMEWORK_ADDRESS, module, name);
    const chainId = own('chain_id', 'ChainID');
    this.#addNamed(chainId, encode(u64, this.#options.chainId), SYSTEM_ADDRESS);
    this.objects.freeze(namedObjectId(chainId));
    this.#addNamed(ONCHAIN_CONFIG_TYPE, encode(onchainConfig, ONCHAIN_CONFIG), FRAMEWORK_ADDRESS);
    this.#addNamed(own('onchain_config', 'ConfigUpdateCap'), EMPTY_STRUCT, SEQUENCER_ADDRESS);
    this.#addNamed(ADDRESS_MAPPING_TYPE, EMPTY_STRUCT, FRAMEWORK_ADDRESS);
    this.#addNamed(own('address_mapping', 'MultiChainAddressMapping'), EMPTY_STRUCT, FRAMEWORK_ADDRESS);
    this.#addNamed(own('indexer', 'FieldIndexerTablePlaceholder'), EMPTY_STRUCT, FRAMEWORK_ADDRESS);
    this.#addShared(own('empty', 'Empty'), EMPTY_STRUCT);
    this.#addResource(
      FRAMEWORK_ADDRESS,
      own('account_coin_store', 'AutoAcceptCoins'),
      encode(objectId, this.#addTable()),
    );
    this.#validators();
    this.#addNamed(own('did', 'DIDRegistry'), encode(objectId, this.#addTable()), FRAMEWORK_ADDRESS);
    this.#gasCoin();
  }

  /** The registry of authentication validators: by number in one table, by type in another. */
  #validators(): void {
    const byNumber = this.#addTable();
    const byType = this.#addTable(structTag(MOVEOS_STD_ADDRESS, 'type_table', 'TablePlaceholder'));
    const registry = structTag(FRAMEWORK_ADDRESS, 'auth_validator_registry', 'ValidatorRegistry');
    const value = concatBytes(
      encode(u64, CONTRACT_VALIDATOR_ID_MIN),
      encode(objectId, byNumber),
      encode(objectId, byType),
    );
    this.#addResource(FRAMEWORK_ADDRESS, registry, value);
    VALIDATORS.forEach(([owner, module, name], index) => {
      const id = BigInt(index);
      const value = { id, moduleAddress: owner, moduleName: module };
      this.objects.addField(byNumber, VALIDATOR_BY_NUMBER, id, value);
      const withType = structTag(FRAMEWORK_ADDRESS, 'auth_validator_registry', 'AuthValidatorWithType', [
        structType(structTag(owner, module, name)),
      ]);
      const byName = new FieldType(MOVE_STRING, { tag: structType(withType), codec: u64 });
      this.objects.addField(byType, byName, canonicalStruct(withType), id);
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
    this.#addNamed(coinInfoType(GAS_COIN_TYPE), encode(coinInfo, description), FRAMEWORK_ADDRESS);
    const registry = structTag(FRAMEWORK_ADDRESS, 'coin', 'CoinRegistry');
    this.#addNamed(registry, EMPTY_STRUCT, FRAMEWORK_ADDRESS);
    const metadata = { coinInfoId: coinInfoId(GAS_COIN_TYPE), info: description };
    this.objects.addField(namedObjectId(registry), COIN_METADATA, GAS_COIN_NAME, metadata);
    const fees = this.#freshId();
    this.#add(fees, coinStoreType(GAS_COIN_TYPE), encode(coinStore, { balance: 0n, frozen: false }));
    this.#emit(
      'coin_store',
      'CreateEvent',
      encode(coinStoreCreateEvent, { coinStoreId: fees, coinType: GAS_COIN_NAME }),
    );
    const pool = structTag(FRAMEWORK_ADDRESS, 'transaction_fee', 'TransactionFeePool');
    this.#addNamed(pool, encode(objectId, fees), FRAMEWORK_ADDRESS);
    this.#emit('coin', 'MintEvent', encode(coinSupplyEvent, { coinType: GAS_COIN_NAME, amount: supply }));
  }

  /** The objects of 0x4, before the first block. */
  bitcoin(): void {
    const own = (module: string, name: string): StructTag => structTag(BITCOIN_MOVE_ADDRESS, module, name);
    const network = BITCOIN_NETWORKS[this.#options.bitcoinNetwork].id;
    this.#addShared(own('network', 'BitcoinNetwork'), encode(u8, network));
    this.#addShared(own('utxo', 'BitcoinUTXOStore'), EMPTY_STRUCT);
    this.#addShared(own('ord', 'InscriptionStore'), new Uint8Array(INSCRIPTION_STORE_BYTES));
    this.#babylon(own('bbn', 'BBNGlobalParams'));
    const pending = concatBytes(EMPTY_VECTOR, EMPTY_VECTOR, encode(u64, this.#options.reorganisationDepth));
    this.#addNamed(own('pending_block', 'PendingStore'), pending, BITCOIN_MOVE_ADDRESS);
    const tables = Array.from({ length: BLOCK_STORE_TABLES }, () => encode(objectId, this.#addTable()));
    const start = parseBitcoinHash(BITCOIN_NETWORKS[this.#options.bitcoinNetwork].genesisHash);
    const store = concatBytes(encode(u64, 0n), start, EMPTY_VECTOR, ...tables);
    this.#addShared(own('bitcoin', 'BitcoinBlockStore'), store);
  }

  /** Babylon's parameters, each version in a field; the object names the last one. */
  #babylon(type: StructTag): void {
    const last = BABYLON_VERSIONS[BABYLON_VERSIONS.length - 1]!;
    this.#addShared(type, encode(u64, last.version));
    for (const value of BABYLON_VERSIONS) {
      const name = value.version === 0n ? 'BBNGlobalParamV0' : 'BBNGlobalParamV1';
      const tag = structType(structTag(BITCOIN_MOVE_ADDRESS, 'bbn', name));
      const version = new FieldType(MOVE_U64, { tag, codec: babylonParameters });
      this.objects.addField(namedObjectId(type), version, value.version, value);
    }
  }

  /** The funded accounts, each with its Bitcoin address on record, and the sequencer's. */
  accounts(): void {
    this.#addAccount(SEQUENCER_ADDRESS);
    this.#mapAddress(SEQUENCER_ADDRESS, parseBitcoinAddress(DEV_SEQUENCER.mainnetAddress));
    for (const { address: owner, bitcoinAddress, balance } of this.#options.accounts) {
      this.#addAccount(owner);
      this.#mapAddress(owner, bitcoinAddress);
      const coinStoreId = accountCoinStoreId(owner, GAS_COIN_TYPE);
      this.#add(coinStoreId, coinStoreType(GAS_COIN_TYPE), encode(coinStore, { balance, frozen: false }), owner);
      this.#emit('coin_store', 'CreateEvent', encode(coinStoreCreateEvent, { coinStoreId, coinType: GAS_COIN_NAME }));
      const deposit = { coinStoreId, coinType: GAS_COIN_NAME, amount: balance };
      this.#emit('coin_store', 'DepositEvent', encode(coinStoreTransferEvent, deposit));
    }
  }

  #mapAddress(owner: Address, bitcoinAddress: Uint8Array): void {
    this.objects.addField(ADDRESS_MAPPING_ID, BITCOIN_ADDRESS_BY_OWNER, owner, bitcoinAddress);
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
const coinMetadata: Codec<CoinMetadata> = struct({ coinInfoId: objectId, info: coinInfo });

const COIN_METADATA = new FieldType(MOVE_STRING, {
  tag: structType(structTag(FRAMEWORK_ADDRESS, 'coin', 'CoinMetadata')),
  codec: coinMetadata,
});

const VALIDATOR_BY_NUMBER = new FieldType(MOVE_U64, {
  tag: structType(structTag(FRAMEWORK_ADDRESS, 'auth_validator', 'AuthValidator')),
  codec: authValidator,
});
