/**
 * Whatever accounts send, nothing is lost or made from nothing: coins, sequence numbers, fees and every row of
 * the store agree with a full scan, and the same inputs give the same chain.
 */
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { decode, encode, string, u64, u256 } from '../../src/base/bcs.ts';
import { ROOT_OBJECT_ID } from '../../src/chain/object/object-id.ts';
import { isDynamicField } from '../../src/chain/object/object-state.ts';
import { dynamicFieldValue, type State } from '../../src/chain/state/state.ts';
import type { Control } from '../../src/chain/transaction/control.ts';
import { account } from '../../src/execution/framework/account.ts';
import { coinInfo, coinInfoId, coinInfoType, coinStore, coinStoreField } from '../../src/execution/framework/coin.ts';
import { DEV_ACCOUNTS, DEV_SEQUENCER, type DevAccount, Engine, GAS_COIN_TYPE } from '../../src/index.ts';
import { address, addressOf } from '../../src/move/address.ts';
import { canonicalStruct, displayStruct, structTag, structType } from '../../src/move/type-tag.ts';
import type { Commit } from '../../src/pipeline/commit.ts';
import type { Input } from '../../src/pipeline/input.ts';
import { publishAction } from '../../src/pipeline/publish.ts';
import { single } from '../../src/pipeline/turn.ts';
import {
  type Action,
  type Address,
  accountObjectId,
  formatAddress,
  type ObjectId,
  objectId,
  parseAddress,
  parseStructTag,
  type StructTag,
  type TransactionData,
} from '../../src/query/transaction-builder.ts';
import { verifyStore } from '../../src/query/verify/verify.ts';
import { MemoryStore } from '../../src/store/index.ts';
import { property } from '../effort.ts';
import { ed25519Session, lendKey, takeKeyBack } from './authenticators.ts';
import { assembleFor } from './contract.ts';
import { signBitcoin } from './signer.ts';
import { ALICE, callOf } from './step-chain.ts';

const SENDERS: readonly DevAccount[] = DEV_ACCOUNTS.slice(0, 4);
/** Everybody who may get something; the last two have no key and no account at first. */
const PEOPLE: readonly Address[] = [
  ...SENDERS.map((sender) => parseAddress(sender.address)),
  addressOf(0xf00d),
  addressOf(0xbeef),
];
const alice = PEOPLE[0]!;
const keys = SENDERS.map((_, index) => ed25519Session(new Uint8Array(32).fill(index + 1)));
const GOLD = structTag(alice, 'gold', 'Gold');
const GOLD_INFO = encode(objectId, coinInfoId(GOLD));

/** A coin that anybody may mint and burn; `version` makes each upgrade another module. */
const gold = (version: number): string => `module 0xa11ce::gold
  struct Gold has key, store { x: bool }
  fun init() {
    let info: 0x2::object::Object<0x3::coin::CoinInfo<Gold>>
    LdConst vector<u8> 0x04476f6c64; Call 0x1::string::utf8
    LdConst vector<u8> 0x0147; Call 0x1::string::utf8
    Call 0x1::option::none<0x1::string::String>; LdU8 2
    Call 0x3::coin::register_extend<Gold>; StLoc info; MoveLoc info
    Call 0x2::object::to_shared<0x3::coin::CoinInfo<Gold>>; Ret
  }
  public entry fun mint(info: &mut 0x2::object::Object<0x3::coin::CoinInfo<Gold>>, to: address, amount: u256) {
    MoveLoc to; MoveLoc info; MoveLoc amount; Call 0x3::coin::mint<Gold>
    Call 0x3::account_coin_store::deposit<Gold>; Ret
  }
  public entry fun burn(by: &signer, info: &mut 0x2::object::Object<0x3::coin::CoinInfo<Gold>>, amount: u256) {
    let coin: 0x3::coin::Coin<Gold>
    MoveLoc by; MoveLoc amount; Call 0x3::account_coin_store::withdraw<Gold>; StLoc coin
    MoveLoc info; MoveLoc coin; Call 0x3::coin::burn<Gold>; Ret
  }
  public entry fun spin() { again: Branch again }
  public entry fun fail() { LdU64 ${version}; Abort }
  public fun version(): u64 { LdU64 ${version}; Ret }`;

/** What somebody does; numbers are reduced to what exists. */
interface Deed {
  readonly sender: number;
  readonly kind:
    | 'send'
    | 'send-gold'
    | 'mint'
    | 'burn'
    | 'lend'
    | 'use'
    | 'return'
    | 'fail'
    | 'spin'
    | 'publish'
    | 'idle'
    | Control['kind'];
  readonly to: number;
  readonly amount: bigint;
  readonly signer: 'bitcoin' | 'nobody';
  /** How far the signed sequence number is from the next one. */
  readonly ahead: number;
}

const deeds = fc.array(
  fc.record<Deed>({
    sender: fc.nat(SENDERS.length - 1),
    kind: fc.constantFrom<Deed['kind']>(
      ...([
        'send',
        'send',
        'send-gold',
        'mint',
        'burn',
        'lend',
        'use',
        'use',
        'return',
        'fail',
        'spin',
        'publish',
        'fund',
        'set-time',
        'set-object',
        'set-object',
        'set-field',
      ] as const),
    ),
    to: fc.nat(PEOPLE.length - 1),
    amount: fc.oneof(fc.bigInt(0n, 1_000n), fc.constant(10n ** 40n)),
    signer: fc.constantFrom('bitcoin', 'bitcoin', 'nobody'),
    ahead: fc.constantFrom(0, 0, 0, 0, 0, 0, 0, 1, -1),
  }),
  { minLength: 15, maxLength: 25 },
);

/** After all others: one with each outcome, and one of each control. */
const ALWAYS: readonly Deed[] = (
  ['send', 'fail', 'spin', 'use', 'fund', 'set-time', 'set-object', 'set-field'] as const
).map((kind) => ({
  // An even sender's field has the type of its value.
  sender: kind === 'set-field' ? 2 : 3,
  kind,
  to: 5,
  amount: 1n,
  signer: 'bitcoin',
  ahead: kind === 'use' ? 1 : 0,
}));

function send(coin: StructTag, to: Address, amount: bigint): Action {
  const name = '0x3::transfer::transfer_coin';
  return callOf(name, [structType(coin)], encode(address, to), encode(u256, amount));
}

function actionOf({ kind, sender, to, amount }: Deed, round: number): Action {
  const own = (name: string, ...given: readonly Uint8Array[]): Action =>
    callOf(`${ALICE.address}::gold::${name}`, [], ...given);
  const receiver = PEOPLE[to]!;
  switch (kind) {
    case 'send-gold':
      return send(GOLD, receiver, amount);
    case 'mint':
      return own('mint', GOLD_INFO, encode(address, receiver), encode(u256, amount));
    case 'burn':
      return own('burn', GOLD_INFO, encode(u256, amount));
    case 'lend':
      return lendKey(keys[sender]!.authenticationKey, { module: 'transfer', function: '*' });
    case 'return':
      return takeKeyBack(keys[sender]!.authenticationKey);
    case 'fail':
    case 'spin':
      return own(kind);
    case 'publish':
      return publishAction([assembleFor(ALICE, gold(round))]);
    default:
      return send(GAS_COIN_TYPE, receiver, amount);
  }
}

/** A control of what exists: objects of a type that no Move code looks for, one for each person, and their fields. */
function controlOf({ kind, sender, to, amount }: Deed): Control | undefined {
  const small = BigInt.asUintN(64, amount);
  const id = [addressOf(0xc0_0000 + to)];
  switch (kind) {
    case 'fund':
      return { kind, account: PEOPLE[to]!, coin: sender % 2 === 0 ? GAS_COIN_TYPE : GOLD, amount };
    case 'set-time':
      // The first of a run is never before the time of genesis.
      return { kind, milliseconds: GENESIS_MS + small * 1_000_000_000n };
    case 'set-object':
      return { kind, id, owner: PEOPLE[sender]!, flag: 0, type: ANY_OBJECT, value: encode(u64, small) };
    case 'set-field': {
      const [keyType, valueType] = [{ kind: 'u64' }, { kind: sender % 2 === 0 ? 'u64' : 'bool' }] as const;
      return { kind, parent: id, keyType, key: encode(u64, small % 3n), valueType, value: encode(u64, small) };
    }
    default:
      return undefined;
  }
}

/** The time at which a local chain begins. */
const GENESIS_MS = 1_700_000_000_000n;

const ANY_OBJECT = parseStructTag('0x2::timestamp::Timestamp');

class Ledger {
  readonly inputs: Input[] = [];
  readonly ordered = new Map<string, bigint>();
  gasUsed = 0n;
  controls = 0n;
  /** Gas coins that controls minted. */
  minted = 0n;
  readonly #engine: Engine;

  constructor(engine: Engine) {
    this.#engine = engine;
  }

  async play(all: readonly Deed[]): Promise<void> {
    await this.submit({
      kind: 'call',
      sender: alice,
      action: publishAction([assembleFor(ALICE, gold(0))]),
      maxGasAmount: undefined,
    });
    for (const [round, deed] of all.entries()) await this.#do(deed, round + 1);
  }

  async #do(deed: Deed, round: number): Promise<void> {
    const control = controlOf(deed);
    if (control !== undefined) return this.submit({ kind: 'control', control });
    const signer = SENDERS[deed.sender]!;
    const sender = PEOPLE[deed.sender]!;
    const action = actionOf(deed, round);
    const next = this.ordered.get(formatAddress(sender)) ?? 0n;
    const sequenceNumber = next + BigInt(deed.ahead);
    const data: TransactionData = {
      sender,
      sequenceNumber: sequenceNumber < 0n ? 0n : sequenceNumber,
      chainId: this.#engine.chainId,
      maxGasAmount: 30_000_000n,
      action,
    };
    if (deed.kind === 'use') await this.submit({ kind: 'signed', bytes: keys[deed.sender]!.sign(data) });
    else if (deed.signer === 'nobody') await this.submit({ kind: 'call', sender, action, maxGasAmount: 30_000_000n });
    else await this.submit({ kind: 'signed', bytes: signBitcoin(signer, data) });
  }

  /** Gives an input to the engine; counts it if it was ordered. */
  async submit(input: Input): Promise<void> {
    this.inputs.push(input);
    const { turn, commit } = single(input);
    this.#engine.inside.core.writer.submit(turn);
    const made: Commit | undefined = await commit.catch(() => undefined);
    ends.add(made?.record.executionInfo.status.kind ?? 'refused');
    const data = made?.record.transaction.data;
    if (made === undefined || data?.kind !== 'l2-transaction') return;
    if (input.kind === 'control') {
      this.controls++;
      const { control } = input;
      if (control.kind === 'fund' && control.coin === GAS_COIN_TYPE) this.minted += control.amount;
      ends.add(control.kind);
      return;
    }
    const name = formatAddress(data.data.sender);
    this.ordered.set(name, data.data.sequenceNumber + 1n);
    this.gasUsed += made.record.executionInfo.gasUsed;
  }
}

/** The total of a coin, by a walk over all objects. */
function heldOf(state: State, coin: StructTag): bigint {
  const storeType = `0x3::coin_store::CoinStore<${displayStruct(coin)}>`;
  const name = canonicalStruct(coin);
  let sum = 0n;
  const walk = (parent: ObjectId): void => {
    for (const { object } of state.fields(parent, { after: undefined, limit: Number.MAX_SAFE_INTEGER })) {
      const type = displayStruct(object.meta.objectType);
      if (type === storeType) sum += decode(coinStore, object.value).balance;
      if (isDynamicField(object.meta) && type.endsWith('0x3::multi_coin_store::CoinStoreField>')) {
        const field = dynamicFieldValue(object, string, coinStoreField);
        if (field.coinType === name) sum += field.balance;
      }
      if (object.meta.size > 0n) walk(object.meta.id);
    }
  };
  walk(ROOT_OBJECT_ID);
  return sum;
}

function supplyOf(state: State, coin: StructTag): bigint {
  const info = state.object(coinInfoId(coin));
  expect(info && displayStruct(info.meta.objectType)).toBe(displayStruct(coinInfoType(coin)));
  return decode(coinInfo, info!.value).supply;
}

/** What an account has earned from the gas that others paid. */
function shareOf(engine: Engine, owner: string): bigint {
  const { status, values } = engine.tryView({
    function: '0x3::transaction_fee::gas_revenue_balance',
    arguments: [owner],
  });
  expect(status).toEqual({ kind: 'executed' });
  return decode(u256, values[0]!.bytes);
}

/** How transactions ended, in all runs. */
const ends = new Set<string>();

describe('random transactions of many accounts', () => {
  it('keep coins, numbers, fees and rows consistent, and replay to the same roots', { timeout: 600_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(deeds, async (all) => {
        const store = new MemoryStore();
        const engine = await Engine.open({ store });
        const replayed = await Engine.open();
        try {
          const before = supplyOf(engine.inside.state, GAS_COIN_TYPE);
          const ledger = new Ledger(engine);
          await ledger.play([...all, ...ALWAYS]);
          const state = engine.inside.state;
          expect(heldOf(state, GOLD)).toBe(supplyOf(state, GOLD));
          expect(heldOf(state, GAS_COIN_TYPE)).toBe(supplyOf(state, GAS_COIN_TYPE));
          expect(supplyOf(state, GAS_COIN_TYPE)).toBe(before + ledger.minted);
          for (const [name, count] of ledger.ordered) {
            const object = state.object(accountObjectId(parseAddress(name)));
            expect(decode(account, object!.value).sequenceNumber).toBe(count);
          }
          // Who has a share of the gas: the sequencer, the author of the package, the framework.
          const shares = [DEV_SEQUENCER.address, ALICE.address, '0x3'].map((owner) => shareOf(engine, owner));
          expect(shares.reduce((sum, share) => sum + share, 0n)).toBe(ledger.gasUsed);
          const ordered = [...ledger.ordered.values()].reduce((sum, count) => sum + count, 0n);
          expect(engine.head.order).toBe(ordered + ledger.controls);
          expect((await verifyStore(store)).problems).toEqual([]);
          const again = new Ledger(replayed);
          for (const input of ledger.inputs) await again.submit(input);
          expect(replayed.head).toEqual(engine.head);
        } finally {
          await engine.close();
          await replayed.close();
        }
      }),
      property(3, 100),
    );
    expect([...ends].sort()).toEqual([
      'executed',
      'fund',
      'move-abort',
      'out-of-gas',
      'refused',
      'set-field',
      'set-object',
      'set-time',
    ]);
  });
});
