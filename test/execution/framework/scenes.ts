/**
 * What random transactions need but hardly come upon: contexts as validation leaves them, and first transactions that
 * make documents, channels and tables through the framework's own functions.
 * @module
 */
import { bytes, encode, string, u64, vector } from '../../../src/base/bcs.ts';
import { concatBytes, fromHex } from '../../../src/base/bytes/bytes.ts';
import { assert } from '../../../src/base/error.ts';
import { parseBitcoinAddress } from '../../../src/bitcoin/index.ts';
import { DEV_ACCOUNTS } from '../../../src/execution/framework/accounts.ts';
import type { ContextEntry } from '../../../src/execution/runtime/tx-context.ts';
import { type Address, addressOf, parseAddressHex } from '../../../src/move/address.ts';
import { canonicalStruct, parseStructTag, parseTypeTag, type TypeTag } from '../../../src/move/type-tag.ts';
import type { Step } from './framework-world.ts';
import { describeSteps, hasFailed, nameOfStep } from './outcomes.ts';
import type { Context, Director, Transaction } from './random-call.ts';
import { MULTIBASE_KEYS } from './samples.ts';
import type { Target } from './target.ts';

const [alice, bob] = DEV_ACCOUNTS.slice(0, 2).map(({ address, regtestAddress }) => ({
  address: parseAddressHex(address),
  bitcoinAddress: parseBitcoinAddress(regtestAddress),
})) as [{ address: Address; bitcoinAddress: Uint8Array }, { address: Address; bitcoinAddress: Uint8Array }];

const RGAS = ['0x3::gas_coin::RGas'];
const AMOUNT = new Uint8Array(32).fill(9, 0, 3);
const FEATURES = [1n, 2n, 3n, 4n, 7n, 8n];
const PARTICIPANTS = encode(
  vector(bytes),
  DEV_ACCOUNTS.slice(0, 3).map(({ publicKey }) => fromHex(publicKey)),
);
const SCENE_BUDGET = 100_000_000n;
const NONE = Uint8Array.of(0);

function entry(type: string, data: Uint8Array): ContextEntry {
  const key = canonicalStruct(parseStructTag(type));
  return { key, typeName: key, data };
}

/** What validation found: the key that signed, if any, and the sender's Bitcoin address. */
function validated(sessionKey: string | undefined, bitcoinAddress: Uint8Array): ContextEntry {
  const key = sessionKey === undefined ? NONE : concatBytes(Uint8Array.of(1), encode(string, sessionKey));
  const parts = [encode(u64, 0n), NONE, key, encode(bytes, bitcoinAddress)];
  return entry('0x3::auth_validator::TxValidateResult', concatBytes(...parts));
}

const CALL_META = entry(
  '0x2::tx_meta::TxMeta',
  concatBytes(Uint8Array.of(1, 1), addressOf(3), encode(string, 'did'), encode(string, 'add_service_entry')),
);

const SIGNED_BY_ACCOUNT = [validated(undefined, alice.bitcoinAddress)];
const SIGNED_BY_METHOD = [validated('DID_VM:account-key', new Uint8Array(0))];

const DOCUMENT = '0x3::did::DIDDocument';

/** What generic functions are tried with, the first ones more often. */
export const TYPE_ARGUMENTS: readonly TypeTag[] = [
  ...[
    'u64',
    '0x1::string::String',
    '0x3::gas_coin::RGas',
    'address',
    'vector<u8>',
    'u8',
    '0x2::object::ObjectID',
    'bool',
  ],
  ...['0x2::timestamp::Timestamp', '0x4::utxo::UTXO', 'u256', '0x1::option::Option<u64>', '0x4::types::OutPoint'],
].map((type) => parseTypeTag(type));

/** Two, so that containers are often of the same types. */
export const FEW_TYPE_ARGUMENTS: readonly TypeTag[] = ['u64', 'vector<u8>'].map((type) => parseTypeTag(type));

/** Modules whose functions work on containers. */
export const CONTAINER_MODULES: ReadonlySet<string> = new Set([
  ...['option', 'vector', 'bit_vector', 'acl', 'simple_map', 'simple_multimap', 'big_vector', 'table', 'table_vec'],
  ...[
    'linked_table',
    'type_table',
    'bag',
    'object',
    'account',
    'event_queue',
    'display',
    'any',
    'copyable_any',
    'result',
  ],
]);

/** Of a transaction that an account's own key signed. */
export const ACCOUNT_CONTEXT: Context = { entries: SIGNED_BY_ACCOUNT, sender: alice.address };

/** Of a transaction that a method of a document signed. */
export const DOCUMENT_CONTEXT: Context = { entries: SIGNED_BY_METHOD, sender: DOCUMENT };

export const CONTEXTS: readonly Context[] = [
  { entries: [] },
  { entries: [CALL_META] },
  ACCOUNT_CONTEXT,
  DOCUMENT_CONTEXT,
  { entries: [...SIGNED_BY_METHOD, CALL_META], sender: DOCUMENT },
  { entries: [validated('abc', alice.bitcoinAddress), CALL_META], sender: alice.address },
  { entries: [], sender: '0x3::onchain_config::ConfigUpdateCap' },
];

interface Scene {
  readonly sender: Address;
  readonly entries: readonly ContextEntry[];
  readonly steps: readonly Step[];
}

/**
 * The first transactions, in order, each made when those before it are done. Every call of them returns.
 * @param ownerOf gives the owner of an object of a type that there is
 */
function scenes(targets: readonly Target[], ownerOf: (type: string) => Address): (() => Scene)[] {
  const byName = new Map(targets.map((target) => [nameOfStep(target), target]));
  const step = (name: string, types: readonly string[], ...given: Uint8Array[]): Step => {
    const { module, function: own, returnsReference } = byName.get(name)!;
    const sources = given.map((value) => ({ kind: 'bytes' as const, bytes: value }));
    return { module, function: own, typeArguments: types.map((type) => parseTypeTag(type)), sources, returnsReference };
  };
  const text = (value: string): Uint8Array => encode(string, value);
  const byAlice = (...steps: Step[]): Scene => ({ sender: alice.address, entries: SIGNED_BY_ACCOUNT, steps });
  return [
    () => ({
      sender: addressOf(3),
      entries: [],
      steps: [step('0x2::features::change_feature_flags', [], addressOf(3), encode(vector(u64), FEATURES), NONE)],
    }),
    () =>
      byAlice(
        step('0x3::did::create_did_object_for_self', [], alice.address, text(MULTIBASE_KEYS.secp256k1)),
        step('0x3::did::create_did_object_for_self', [], alice.address, text(MULTIBASE_KEYS.secp256k1)),
      ),
    () => byAlice(step('0x4::multisign_account::initialize_multisig_account', [], encode(u64, 2n), PARTICIPANTS)),
    () => {
      const account = ownerOf(DOCUMENT);
      return {
        sender: account,
        entries: SIGNED_BY_METHOD,
        steps: [
          step('0x3::transfer::transfer_coin', RGAS, alice.address, account, AMOUNT),
          step('0x3::payment_channel::deposit_to_hub_entry', RGAS, alice.address, account, AMOUNT),
          step('0x3::payment_channel::open_channel_with_sub_channel', RGAS, account, bob.address, text('account-key')),
          step('0x3::did::add_service_entry', [], account, text('s'), text('CadopCustodianService'), text('https://s')),
        ],
      };
    },
  ];
}

/** Plays the scenes and makes them a part of the chains; gives the transactions for comparison. */
export function playScenes(director: Director, targets: readonly Target[]): Transaction[] {
  return scenes(targets, (type) => director.ownerOf(type)).map((scene) => {
    const { steps, ...settings } = scene();
    const transaction = director.play(steps, { ...settings, gasBudget: SCENE_BUDGET });
    for (const result of transaction.results) assert(!hasFailed(result), describeSteps(transaction));
    director.commit(transaction);
    return transaction;
  });
}
