/**
 * A story of transactions for chains that are compared: coins, session keys, a package from its publication to its
 * upgrade, aborts, and what is refused. Each line signs on the state that those before it left.
 * @module
 */
import { base58 } from '@scure/base';
import { bytes, encode, string, u64, u256, vector } from '../../src/base/bcs.ts';
import { fromHex } from '../../src/base/bytes/bytes.ts';
import { DEV_ACCOUNTS } from '../../src/execution/framework/accounts.ts';
import { coinInfoId, GAS_COIN_TYPE } from '../../src/execution/framework/coin.ts';
import { address } from '../../src/move/address.ts';
import { canonicalStruct, structTag } from '../../src/move/type-tag.ts';
import {
  type Action,
  type Address,
  namedObjectId,
  objectId,
  parseAddress,
  type TransactionData,
} from '../../src/query/transaction-builder.ts';
import { withExterns } from '../execution/runtime/externs.ts';
import { assembleScriptBytes } from '../vm/assemble.ts';
import { ed25519Session, lendKey, takeKeyBack } from './authenticators.ts';
import { publishFor } from './contract.ts';
import { signBitcoin } from './signer.ts';
import { ALICE, BOB, callOf, transfer } from './step-chain.ts';

/** What a line of the story asks of its chain. */
export interface Narrator {
  /** The next transaction of an account; any part may be overridden. */
  data(sender: Address, action: Action, parts?: Partial<TransactionData>): TransactionData;
}

const alice = parseAddress(ALICE.address);
const bob = parseAddress(BOB.address);
const key = ed25519Session(new Uint8Array(32).fill(7));

const GOLD = `module 0xa11ce::gold
  struct Gold has key, store { x: bool }
  fun init() {
    LdConst vector<u8> 0x04476f6c64; Call 0x1::string::utf8
    LdConst vector<u8> 0x0147; Call 0x1::string::utf8
    Call 0x1::option::none<0x1::string::String>; LdU8 2
    Call 0x3::coin::register_extend<Gold>; Call 0x2::object::to_shared<0x3::coin::CoinInfo<Gold>>; Ret
  }
  public entry fun mint(info: &mut 0x2::object::Object<0x3::coin::CoinInfo<Gold>>, to: address, amount: u256) {
    MoveLoc to; MoveLoc info; MoveLoc amount; Call 0x3::coin::mint<Gold>
    Call 0x3::account_coin_store::deposit<Gold>; Ret
  }`;

const COUNTER = (step: number): string => `module 0xa11ce::counter
  struct Counter has key { n: u64 }
  fun init(account: &signer) {
    MoveLoc account; Pop
    LdU64 0; Pack Counter; Call 0x2::object::new_named_object<Counter>; Call 0x2::object::to_shared<Counter>; Ret
  }
  public entry fun add(counter: &mut 0x2::object::Object<Counter>) {
    let place: &mut u64
    MoveLoc counter; Call 0x2::object::borrow_mut<Counter>; MutBorrowField Counter.n; StLoc place
    CopyLoc place; ReadRef; LdU64 ${step}; Add; MoveLoc place; WriteRef; Ret
  }
  entry fun fail() { LdU64 77; Abort }
  entry fun spin() { again: Branch again }
  entry fun deep() { Call deep; Ret }
  public fun hidden() { Ret }`;

const counter = encode(objectId, namedObjectId(structTag(alice, 'counter', 'Counter')));

const lend = lendKey(key.authenticationKey, { module: 'transfer', function: '*', interval: 3_600n });
const remove = takeKeyBack(key.authenticationKey);

const signed = (action: Action) => (chain: Narrator) => signBitcoin(ALICE, chain.data(alice, action));
const bySession = (action: Action) => (chain: Narrator) => key.sign(chain.data(alice, action));

const own = (name: string, ...given: readonly Uint8Array[]): Action =>
  callOf(`${ALICE.address}::${name}`, [], ...given);
const gold = (amount: bigint): Action =>
  own(
    'gold::mint',
    encode(objectId, coinInfoId(structTag(alice, 'gold', 'Gold'))),
    encode(address, bob),
    encode(u256, amount),
  );

/** The oracle under a name that nobody uses twice. */
const oracle = (name: string): Action =>
  callOf(
    '0x3::oracle::create_entry',
    [],
    ...[name, 'https://oracle.example', 'a test'].map((text) => encode(string, text)),
  );

const members = DEV_ACCOUNTS.slice(2, 5).map(({ publicKey }) => fromHex(publicKey));
const multibase = encode(string, `z${base58.encode(fromHex(ALICE.publicKey))}`);

/** Moves coins without an entry function. */
const SCRIPT: Action = {
  kind: 'script',
  code: assembleScriptBytes(
    withExterns(`script(from: &signer, to: address, amount: u256) {
      MoveLoc from; MoveLoc to; MoveLoc amount
      Call 0x3::account_coin_store::transfer<0x3::gas_coin::RGas>; Ret
    }`),
  ),
  typeArguments: [],
  arguments: [encode(address, bob), encode(u256, 11n)],
};

export interface StoryLine {
  readonly name: string;
  readonly sign: (chain: Narrator) => Uint8Array;
}

const LINES: readonly (readonly [name: string, sign: StoryLine['sign']])[] = [
  ['a transfer', signed(transfer(bob, 5n))],
  ['a transfer of more than there is', signed(transfer(bob, 10n ** 30n))],
  ['a session key', signed(lend)],
  ['a transfer by session key', bySession(transfer(bob, 7n))],
  ['beyond the scope of the key', bySession(remove)],
  ['the same session key again', signed(lend)],
  ['its removal', signed(remove)],
  ['a removed key', bySession(transfer(bob, 7n))],
  ['a package', signed(publishFor(ALICE, COUNTER(1)))],
  ['a call', signed(callOf(`${ALICE.address}::counter::add`, [], counter))],
  ['an abort', signed(callOf(`${ALICE.address}::counter::fail`))],
  ['an upgrade', signed(publishFor(ALICE, COUNTER(10)))],
  ['a call of the new code', signed(callOf(`${ALICE.address}::counter::add`, [], counter))],
  ['a package of somebody else', signed(publishFor(BOB, COUNTER(1)))],
  ['a coin of its own', signed(publishFor(ALICE, GOLD))],
  ['its coins for somebody', signed(gold(5n))],
  ['an object', signed(oracle('first'))],
  ['a script', signed(SCRIPT)],
  [
    'a transfer by the name of the coin',
    signed(
      callOf(
        '0x3::transfer::transfer_coin_by_type_name',
        [],
        encode(address, bob),
        encode(string, canonicalStruct(GAS_COIN_TYPE)),
        encode(u256, 3n),
      ),
    ),
  ],
  [
    'an account of several keys',
    signed(
      callOf(
        '0x4::multisign_account::initialize_multisig_account_entry',
        [],
        encode(u64, 2n),
        encode(vector(bytes), members),
      ),
    ),
  ],
  ['an identity document', signed(callOf('0x3::did::create_did_object_for_self_entry', [], multibase))],
  ['no coins from others', signed(callOf('0x3::account_coin_store::disable_auto_accept_coin_entry'))],
  ['a function that is no entry', signed(own('counter::hidden'))],
  ['a function that is not there', signed(own('counter::nothing'))],
  [
    'code without end',
    (chain) => signBitcoin(ALICE, chain.data(alice, own('counter::spin'), { maxGasAmount: 20_000_000n })),
  ],
  ['recursion without end', signed(own('counter::deep'))],
  ['an unsound module', signed(publishFor(ALICE, 'module 0xa11ce::unsound public fun n(): u64 { Ret }'))],
  ['another chain', (chain) => signBitcoin(ALICE, chain.data(alice, transfer(bob, 1n), { chainId: 4n }))],
  ['an old number', (chain) => signBitcoin(ALICE, chain.data(alice, transfer(bob, 1n), { sequenceNumber: 0n }))],
  ['a new number', (chain) => signBitcoin(ALICE, chain.data(alice, transfer(bob, 1n), { sequenceNumber: 99n }))],
  ['another signer', (chain) => signBitcoin(BOB, chain.data(alice, transfer(bob, 1n)))],
  ['too much gas', (chain) => signBitcoin(ALICE, chain.data(alice, transfer(bob, 1n), { maxGasAmount: 10n ** 10n }))],
  ['more gas than the sender can pay', (chain) => signBitcoin(BOB, chain.data(bob, transfer(bob, 1n)))],
];

/** The transactions, each signed on the state that those before it left. */
export const STORY: readonly StoryLine[] = LINES.map(([name, sign]) => ({ name, sign }));
