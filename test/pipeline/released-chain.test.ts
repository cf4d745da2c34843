/**
 * The step on the test network's own genesis, where the reference's Move code rules: validators, fees, session keys,
 * publishing. Beside it the same transactions on our framework, which must end alike.
 */
import { existsSync, readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { encode } from '../../src/bcs/codec.ts';
import { bytes, string, u64 } from '../../src/bcs/primitive.ts';
import { concatBytes } from '../../src/bytes/compare.ts';
import { CHAIN_ID_TEST } from '../../src/config.ts';
import { frameworkGenesis } from '../../src/genesis/framework-genesis.ts';
import { releasedGenesis } from '../../src/genesis/released-genesis.ts';
import { blake2b256 } from '../../src/hash/blake2b.ts';
import { address, FRAMEWORK_ADDRESS, parseAddress } from '../../src/move/address.ts';
import { displayStruct, structTag } from '../../src/move/type-tag.ts';
import { namedObjectId, objectId } from '../../src/object/object-id.ts';
import type { Action } from '../../src/transaction/action.ts';
import { publishFor } from './contract.ts';
import { SessionSigner, signBitcoin } from './signer.ts';
import { ALICE, BOB, callOf, StepChain, transfer } from './step-chain.ts';

const FILE = `${process.env['MOVELET_REFERENCE'] ?? ''}/crates/rooch-genesis/released/test`;
const isPresent = process.env['MOVELET_REFERENCE'] !== undefined && existsSync(FILE);
const note = isPresent ? '' : ' (skipped: MOVELET_REFERENCE is not set)';

const alice = parseAddress(ALICE.address);
const bob = parseAddress(BOB.address);
/** A chain where nobody has an account, as in the file. */
const SETTINGS = {
  chainId: CHAIN_ID_TEST,
  timestamp: 1_714_777_860_000n,
  bitcoinNetwork: 'testnet',
  reorganisationDepth: 0n,
  accounts: [],
} as const;
const COINS = 1_000_000_000_000n;
const key = new SessionSigner(new Uint8Array(32).fill(7));
const authenticationKey = blake2b256(concatBytes(Uint8Array.of(0), key.publicKey));

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
  entry fun fail() { LdU64 77; Abort }`;
const counter = encode(objectId, namedObjectId(structTag(alice, 'counter', 'Counter')));

const lend: Action = callOf(
  '0x3::session_key::create_session_key_entry',
  [],
  encode(string, 'app'),
  encode(string, 'https://app.example'),
  encode(bytes, authenticationKey),
  encode(address, FRAMEWORK_ADDRESS),
  encode(string, 'transfer'),
  encode(string, '*'),
  encode(u64, 3_600n),
);
const remove = callOf('0x3::session_key::remove_session_key_entry', [], encode(bytes, authenticationKey));

const signed = (action: Action) => (chain: StepChain) => signBitcoin(ALICE, chain.data(alice, action));
const bySession = (action: Action) => (chain: StepChain) => key.sign(chain.data(alice, action));

/** A story of transactions; each ends in the chain's state. */
const STORY: readonly (readonly [name: string, sign: (chain: StepChain) => Uint8Array])[] = [
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
  ['another chain', (chain) => signBitcoin(ALICE, chain.data(alice, transfer(bob, 1n), { chainId: 4n }))],
  ['an old number', (chain) => signBitcoin(ALICE, chain.data(alice, transfer(bob, 1n), { sequenceNumber: 0n }))],
  ['a new number', (chain) => signBitcoin(ALICE, chain.data(alice, transfer(bob, 1n), { sequenceNumber: 99n }))],
  ['another signer', (chain) => signBitcoin(BOB, chain.data(alice, transfer(bob, 1n)))],
  ['too much gas', (chain) => signBitcoin(ALICE, chain.data(alice, transfer(bob, 1n), { maxGasAmount: 10n ** 10n }))],
  [
    'more gas than the sender can pay',
    (chain) => signBitcoin(POOR, chain.data(parseAddress(POOR.address), transfer(bob, 1n))),
  ],
];
const POOR = BOB;

interface Ended {
  readonly name: string;
  readonly outcome: unknown;
  /** Their types. */
  readonly events: readonly string[];
}

function tell(chain: StepChain): Ended[] {
  return STORY.map(([name, sign]) => {
    try {
      const { status, events } = chain.execute(sign(chain));
      return { name, outcome: status, events: events.map(({ eventType }) => displayStruct(eventType)) };
    } catch (error) {
      return { name, outcome: (error as Error).message.replace(/;.*| \(the next.*/, ''), events: [] };
    }
  });
}

describe.skipIf(!isPresent)(`the test network’s genesis${note}`, () => {
  let released: Ended[];
  let ours: Ended[];
  let chain: StepChain;

  beforeAll(async () => {
    chain = await StepChain.open({ genesis: releasedGenesis(new Uint8Array(readFileSync(FILE))) });
    const own = await StepChain.open({ genesis: frameworkGenesis(SETTINGS) });
    for (const each of [chain, own]) each.fund(alice, COINS);
    released = tell(chain);
    ours = tell(own);
  });

  it.each(STORY.map(([name], index) => ({ name, index })))('ends $name as our framework does', ({ index }) => {
    expect(ours[index]).toEqual(released[index]);
  });

  it('counts what was ordered', () => {
    const ordered = released.filter(({ events }) => events.length > 0).length;
    expect(chain.sequenceNumber(alice)).toBe(BigInt(ordered));
    expect(ordered).toBeGreaterThan(10);
  });
});
