/**
 * What TypeScript does around an action, compared with the Move functions that it stands in for, in sessions in which
 * anything may be unusual: it does the same, or nothing.
 */
import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { encode } from '../../../src/base/bcs.ts';
import { encodeUtf8, equalBytes, toHex } from '../../../src/base/bytes/bytes.ts';
import { MODULE_STORE_ID } from '../../../src/chain/object/object-id.ts';
import { State } from '../../../src/chain/state/state.ts';
import { SEQUENCE_INFO_TYPE } from '../../../src/chain/transaction/sequence-info.ts';
import {
  TX_META_TYPE,
  TX_RESULT_TYPE,
  TX_VALIDATE_RESULT_TYPE,
  txMeta,
  txMetaOf,
  txResult,
  txValidateResult,
} from '../../../src/execution/framework/transaction.ts';
import { type End, postExecute } from '../../../src/execution/intrinsic/post-execute.ts';
import { preExecute, type Start } from '../../../src/execution/intrinsic/pre-execute.ts';
import { runSession, type Session } from '../../../src/execution/runtime/session.ts';
import { contextEntryOf, type TxContext, txContext } from '../../../src/execution/runtime/tx-context.ts';
import { addressOf, FRAMEWORK_ADDRESS } from '../../../src/move/address.ts';
import { sessionSettings } from '../../../src/pipeline/execution-context.ts';
import {
  type Action,
  type Address,
  formatAddress,
  parseAddress,
  sequenceInfo,
  stateChangeSet,
  transactionEvent,
} from '../../../src/query/transaction-builder.ts';
import { EMPTY_ROOT } from '../../../src/store/tree/tree.ts';
import { property } from '../../effort.ts';
import { ed25519Session, lendKey } from '../../pipeline/authenticators.ts';
import { publishFor } from '../../pipeline/contract.ts';
import { ALICE, BOB, callOf, StepChain, transfer } from '../../pipeline/step-chain.ts';
import { arrange, keyOddity, type Oddity, oddity } from './arrangement.ts';

const alice = parseAddress(ALICE.address);
const bob = parseAddress(BOB.address);
/** Has no account, and no share of any gas. */
const stranger = addressOf(0x57a6);
const { authenticationKey: grantedKey } = ed25519Session(new Uint8Array(32).fill(7));
const PRICE = 100_000_000n;
const SCOPES = [{ moduleAddress: FRAMEWORK_ADDRESS, moduleName: '*', functionName: '*' }];

/** Alice has a package that was called, and a session key that she granted. */
async function livedIn(): Promise<StepChain> {
  const chain = await StepChain.open();
  chain.send(ALICE, publishFor(ALICE, 'module 0xa11ce::nothing\n  public entry fun do() { Ret }'));
  chain.send(BOB, callOf(`${ALICE.address}::nothing::do`));
  chain.send(ALICE, lendKey(grantedKey, { module: 'transfer', function: '*', interval: 3_600n }));
  chain.send(ALICE, transfer(bob, 1n));
  return chain;
}

/** What the functions and the context are told about a transaction. */
interface Case {
  /** Whether it is the first transaction of a chain. */
  readonly isNew: boolean;
  readonly sender: Address;
  readonly price: bigint;
  readonly action: Action;
  readonly time: bigint | undefined;
  readonly bitcoinAddress: Uint8Array;
  readonly sessionKey: Uint8Array | undefined;
}

function contextOf({ sender, price, action, time, bitcoinAddress, sessionKey }: Case): TxContext {
  const result = { authValidatorId: 1n, authValidator: undefined, sessionKey, bitcoinAddress };
  const entries = [
    contextEntryOf(TX_META_TYPE, txMeta, txMetaOf(action)),
    contextEntryOf(TX_VALIDATE_RESULT_TYPE, txValidateResult, result),
  ];
  if (time !== undefined) {
    const place = {
      txOrder: 9n,
      txOrderSignature: new Uint8Array(0),
      txAccumulatorRoot: EMPTY_ROOT,
      txTimestamp: time,
      txAccumulatorFrozenSubtreeRoots: [],
      txAccumulatorNumLeaves: 0n,
      txAccumulatorNumNodes: 0n,
    };
    entries.push(contextEntryOf(SEQUENCE_INFO_TYPE, sequenceInfo, place));
  }
  const txHash = new Uint8Array(32).fill(3);
  // Entries are kept, and those of `contextEntryOf` are not to be.
  const kept = entries.map((entry) => ({ ...entry, data: entry.data.slice() }));
  return { sender, sequenceNumber: 0n, maxGasAmount: price, txHash, txSize: 200n, idsCreated: 0n, entries: kept };
}

/** Everything that a session has done so far; taking it ends the session. */
function done(session: Session): unknown {
  return {
    changes: toHex(encode(stateChangeSet, session.objects.changeSet())),
    events: session.events.finish().map((event) => toHex(encode(transactionEvent, event))),
    context: toHex(encode(txContext, session.txContext.context)),
  };
}

function callMove(session: Session, name: 'pre_execute' | 'post_execute'): 'returned' | 'failed' {
  const module = { address: FRAMEWORK_ADDRESS, name: 'transaction_validator' };
  session.gas.metering = false;
  const { kind } = session.call({ module, function: name, typeArguments: [], arguments: [] });
  session.gas.metering = true;
  return kind;
}

/** What a session reads of the state while `run` runs, except for the code. */
function readsOf<T>(run: () => T): { readonly result: T; readonly reads: ReadonlySet<string> } {
  const reads = new Set<string>();
  const { childOf } = State.prototype;
  const spy = vi.spyOn(State.prototype, 'childOf').mockImplementation(function (this: State, parent, fieldKey) {
    const id = [...parent.id, fieldKey];
    if (!equalBytes(id[0]!, MODULE_STORE_ID[0]!)) reads.add(id.map(toHex).join('/'));
    return childOf.call(this, parent, fieldKey);
  });
  try {
    return { result: run(), reads };
  } finally {
    spy.mockRestore();
  }
}

const chain = await livedIn();
/** A chain on which nobody has earned or sent anything. */
const newChain = await StepChain.open();
const settings = (context: TxContext, isNew: boolean) => sessionSettings((isNew ? newChain : chain).context, context);

const METHOD = encodeUtf8('DID_VM:key-1');
const called = (owner: Address): Action => callOf(`${formatAddress(owner)}::nothing::do`);

const cases: fc.Arbitrary<Case> = fc.record({
  isNew: fc.boolean(),
  sender: fc.constantFrom(alice, alice, alice, bob, bob, stranger),
  price: fc.constantFrom(PRICE, PRICE, PRICE, PRICE, 1n, 0n),
  action: fc.constantFrom<Action>(
    transfer(bob, 1n),
    called(alice),
    called(addressOf(10)),
    called(bob),
    called(addressOf(0)),
    { kind: 'modules', modules: [] },
  ),
  time: fc.constantFrom(undefined, chain.now - 1n, chain.now, chain.now + 1n),
  bitcoinAddress: fc.constantFrom(new Uint8Array(0), Uint8Array.of(1, 2, 3)),
  sessionKey: fc.constantFrom(undefined, undefined, undefined, METHOD, grantedKey, Uint8Array.of(9)),
});
const oddities = fc.oneof(
  fc.constant<readonly Oddity[]>([]),
  fc.array(oddity(PRICE, chain.now), { maxLength: 3 }),
  fc.array(keyOddity(SCOPES, chain.now / 1_000n), { maxLength: 2 }),
);

const usual: Case = {
  isNew: false,
  sender: alice,
  price: PRICE,
  action: transfer(bob, 1n),
  time: chain.now,
  bitcoinAddress: new Uint8Array(0),
  sessionKey: undefined,
};

/** A chain that gives nobody coins looks into the stores only where the hub does not pay for all. */
const PAID_BY_HUB: readonly Oddity[] = [
  { kind: 'chain id', id: 9n },
  { kind: 'hub', balance: PRICE },
];

describe('pre_execute', () => {
  it('is left to Move code where something has an unexpected type', () => {
    const isDone = (...odd: readonly Oddity[]): boolean =>
      runSession(settings(contextOf(usual), false), (session) => {
        for (const each of odd) arrange(session.objects, alice, each, grantedKey);
        return preExecute(session, { time: usual.time, bitcoinAddress: Uint8Array.of(1) });
      });
    expect(isDone()).toBe(true);
    for (const what of ['account', 'store', 'multi store'] as const)
      expect(isDone({ kind: 'retype', what })).toBe(false);
    expect(isDone({ kind: 'hub', balance: 0n }, { kind: 'retype', what: 'hub' })).toBe(false);
    expect(isDone({ kind: 'other record' })).toBe(false);
  });

  it('has the effect of the Move code, from the same objects, or none', () => {
    let [ours, theirs] = [0, 0];
    fc.assert(
      fc.property(cases, oddities, (one, odd) => {
        const start: Start = { time: one.time, bitcoinAddress: one.bitcoinAddress };
        const prepare = (session: Session): void => {
          for (const each of odd) arrange(session.objects, one.sender, each, grantedKey);
        };
        const before = runSession(settings(contextOf(one), one.isNew), (session) => {
          prepare(session);
          return done(session);
        });
        const own = runSession(settings(contextOf(one), one.isNew), (session) => {
          prepare(session);
          const { result: isDone, reads } = readsOf(() => preExecute(session, start));
          return { isDone, reads, after: done(session) };
        });
        const move = runSession(settings(contextOf(one), one.isNew), (session) => {
          prepare(session);
          const { result: kind, reads } = readsOf(() => callMove(session, 'pre_execute'));
          return { kind, reads, after: done(session) };
        });
        if (!own.isDone) {
          theirs++;
          expect(own.after).toEqual(before);
          // The action pays for reading what nothing read before, so the Move function has to read these, too.
          if (move.kind === 'returned') expect([...own.reads].filter((id) => !move.reads.has(id))).toEqual([]);
          return;
        }
        ours++;
        expect(move.kind).toBe('returned');
        expect(own.after).toEqual(move.after);
        expect([...own.reads].sort()).toEqual([...move.reads].sort());
      }),
      {
        ...property(200, 5_000),
        examples: [
          [usual, PAID_BY_HUB],
          [usual, [{ kind: 'same store', as: 'store', of: 'fees' }]],
        ],
      },
    );
    expect(Math.min(ours, theirs)).toBeGreaterThan(50);
  });
});

/** Rare ones, which random choices might not meet. */
const EXAMPLES: [Case, readonly Oddity[], readonly Oddity[], bigint][] = [
  [usual, [], [{ kind: 'no table' }], 1_000n],
  [usual, [], [{ kind: 'embed', what: 'framework account' }], 1_000n],
  [usual, [], [{ kind: 'accepts coins', accepts: undefined }], 1_000n],
  [usual, [], [{ kind: 'same store', as: 'fees', of: FRAMEWORK_ADDRESS }], 1_000n],
  [usual, [], [{ kind: 'same store', as: 'store', of: FRAMEWORK_ADDRESS }], 1_000n],
  [
    { ...usual, action: called(alice) },
    [],
    [alice, FRAMEWORK_ADDRESS].map((of) => ({ kind: 'same store', as: 'store', of })),
    1_000n,
  ],
  [usual, [], [{ kind: 'remove', what: 'multi store' }], 1_000n],
  // One that the state does not have, since it is made when coins are given to a stranger.
  [{ ...usual, sender: stranger }, [], [{ kind: 'remove', what: 'multi store' }], 1_000n],
  [usual, [], [{ kind: 'no field' }], 1_000n],
  [{ ...usual, isNew: true }, [], [{ kind: 'accepts coins', accepts: false }], 1_000n],
  [{ ...usual, isNew: true }, [], [{ kind: 'remove', what: 'coin' }], 1_000n],
  [{ ...usual, sessionKey: grantedKey }, [], [{ kind: 'embed', what: 'clock' }], 1_000n],
  ...[usual, { ...usual, isNew: true }].map((one): (typeof EXAMPLES)[number] => [
    one,
    [],
    [{ kind: 'other share', of: FRAMEWORK_ADDRESS }],
    1_000n,
  ]),
];

describe('post_execute', () => {
  it('has the effect of the Move code, or none', () => {
    let [ours, theirs] = [0, 0];
    const gas = fc.constantFrom(0n, 1n, 3n, 33n, 4_567_890n, PRICE - 1n, PRICE, PRICE + 1n);
    fc.assert(
      fc.property(cases, oddities, oddities, gas, (one, oddBefore, oddAfter, gasUsed) => {
        const { action, sessionKey } = one;
        const calledAddress = action.kind === 'function' ? action.function.address : undefined;
        const end: End = { gasUsed, sessionKey, calledAddress };
        /** Whether there was an action to conclude. */
        const prepare = (session: Session): boolean => {
          for (const each of oddBefore) arrange(session.objects, one.sender, each, grantedKey);
          if (callMove(session, 'pre_execute') === 'failed') return false;
          for (const each of oddAfter) arrange(session.objects, one.sender, each, grantedKey);
          session.txContext.add(TX_RESULT_TYPE, txResult, { executed: true, gasUsed });
          return true;
        };
        const before = runSession(settings(contextOf(one), one.isNew), (session) =>
          prepare(session) ? done(session) : undefined,
        );
        if (before === undefined) return;
        const own = runSession(settings(contextOf(one), one.isNew), (session) => {
          prepare(session);
          session.gas.metering = false;
          const isDone = postExecute(session, end);
          return { isDone, after: done(session) };
        });
        if (!own.isDone) {
          theirs++;
          expect(own.after).toEqual(before);
          return;
        }
        ours++;
        const move = runSession(settings(contextOf(one), one.isNew), (session) => {
          prepare(session);
          return { kind: callMove(session, 'post_execute'), after: done(session) };
        });
        expect(move.kind).toBe('returned');
        expect(own.after).toEqual(move.after);
      }),
      { ...property(200, 5_000), examples: EXAMPLES },
    );
    expect(Math.min(ours, theirs)).toBeGreaterThan(30);
  });
});
