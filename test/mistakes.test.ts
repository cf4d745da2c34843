/**
 * The mistakes of a first hour, and what is said to each: the argument, what came, and what to do. The first line of the
 * stack is the one that made the mistake. `test/wrong-calls` tries every public function; this is what people do.
 */
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { compileSources } from '../src/compile/index.ts';
import { type Account, Engine } from '../src/index.ts';
import { roochTransport } from '../src/server/rooch.ts';
import { expectChain, PreparedChain } from '../src/testing/testing.ts';

let engine: Engine;
let alice: Account;
let bob: Account;

beforeAll(async () => {
  engine = await Engine.open();
  [alice, bob] = engine.accounts as [Account, Account];
});
afterAll(() => engine.close());

const COIN = '0x3::gas_coin::RGas';
const NONE = `0x${'77'.repeat(32)}`;
const transfer = (parts: object = {}) =>
  ({ function: '0x3::transfer::transfer_coin', typeArguments: [COIN], arguments: [bob, 5n], ...parts }) as never;
const balance = (parts: object = {}) => ({ function: '0x3::gas_coin::balance', arguments: [alice], ...parts }) as never;
/** JavaScript does not check types. */
const any = (value: unknown): never => value as never;

type Mistake = readonly [mistake: string, make: () => unknown, message: string | RegExp];

const MISTAKES: readonly Mistake[] = [
  // Opening
  ['new Engine()', () => new (any(Engine) as new () => unknown)(), 'new Engine: expected await Engine.open(options)'],
  [
    'a path instead of options',
    () => Engine.open(any('./data')),
    'options: expected an object of options, got "./data"',
  ],
  [
    'an option misspelt',
    () => Engine.open(any({ stor: './data' })),
    "stor: there is no such option; did you mean 'store'?",
  ],
  [
    'a chain id as a number',
    () => Engine.open(any({ chainId: 4 })),
    'chainId: expected a bigint from 0 to 2^64 - 1, got 4',
  ],
  [
    'a clock in numbers',
    () => Engine.open(any({ clock: Date.now })),
    "clock: expected 'fixed', 'system', or a function that gives milliseconds as a bigint",
  ],
  [
    'a store for a fork',
    () => engine.fork(any({ store: 'x' })),
    'store: there is no such option; expected one of clock',
  ],
  // Sending
  [
    'a call to execute',
    () => engine.execute(transfer()),
    /^signed: expected a signed .*signTransaction.*executeAs.*, got an object with function/,
  ],
  [
    'no transaction',
    () => engine.execute(any(undefined)),
    'signed: expected a signed transaction or its BCS, got undefined',
  ],
  ['a promise to execute', () => engine.execute(any(Promise.resolve())), 'got a promise: await it'],
  [
    'bytes that are no transaction',
    () => engine.execute(new Uint8Array(3)),
    'expected the BCS of a signed transaction',
  ],
  [
    'executeAs without a sender',
    () => engine.executeAs(transfer(), any(undefined)),
    'sender: expected an address or an account before the call: executeAs(sender, call), got an object with function',
  ],
  [
    'a name as the sender',
    () => engine.executeAs('alice', transfer()),
    'sender: expected an address (0x and up to 64 hex digits',
  ],
  [
    'the system as the sender',
    () => engine.executeAs('0x0', transfer()),
    'expected a call in the name of an account, got 0x0',
  ],
  [
    'text as the call',
    () => engine.executeAs(alice, any('0x3::empty::empty')),
    'action: expected { function, typeArguments, arguments }',
  ],
  [
    'args',
    () => engine.executeAs(alice, transfer({ args: [] })),
    'args: there is no such option; expected one of function, typeArguments, arguments',
  ],
  [
    'a function with dots',
    () => engine.executeAs(alice, transfer({ function: '0x3.transfer.transfer_coin' })),
    'function: expected <address>::<module>::<function>',
  ],
  [
    'a function misspelt',
    () => engine.executeAs(alice, transfer({ function: '0x3::transfer::transfer_coins' })),
    "0x3::transfer::transfer_coins cannot be called: module transfer has no transfer_coins; did you mean 'transfer_coin'?",
  ],
  [
    'a module misspelt',
    () => engine.executeAs(alice, transfer({ function: '0x3::tranfser::transfer_coin' })),
    /^Module does not exist: 0x0+3::tranfser; did you mean 'transfer'\?$/,
  ],
  [
    'an address that has no modules',
    () => engine.executeAs(alice, transfer({ function: '0x33::transfer::transfer_coin' })),
    /^Module does not exist: 0x0+33::transfer$/,
  ],
  [
    'a type misspelt',
    () => engine.executeAs(alice, transfer({ typeArguments: ['0x3::gas_coin::RGsa'] })),
    "module gas_coin has no struct RGsa; did you mean 'RGas'?",
  ],
  [
    "a type's module misspelt",
    () => engine.executeAs(alice, transfer({ typeArguments: ['0x3::gascoin::RGas'] })),
    "there is no module 0x3::gascoin; did you mean 'gas_coin'?",
  ],
  ['a short type', () => engine.executeAs(alice, transfer({ typeArguments: ['RGas'] })), /^type argument 0: expected/],
  [
    'no type arguments',
    () => engine.executeAs(alice, transfer({ typeArguments: [] })),
    'cannot be called: expected 1 type arguments, got 0',
  ],
  [
    'one type, not a list',
    () => engine.executeAs(alice, transfer({ typeArguments: COIN })),
    'typeArguments: expected an array',
  ],
  [
    'an argument too few',
    () => engine.executeAs(alice, transfer({ arguments: [bob] })),
    'arguments: expected 2 arguments (address, u256), got 1',
  ],
  [
    'the signer as an argument',
    () => engine.executeAs(alice, transfer({ arguments: [alice, bob, 5n] })),
    'arguments: expected 2 arguments (address, u256), got 3',
  ],
  [
    'a fraction',
    () => engine.executeAs(alice, transfer({ arguments: [bob, 1.5] })),
    'argument 1 (u256): expected an integer from 0',
  ],
  [
    'a missing address',
    () => engine.executeAs(alice, transfer({ arguments: [undefined, 5n] })),
    'argument 0 (address): expected an address',
  ],
  ['a view as a transaction', () => engine.executeAs(alice, balance()), 'it returns values, which view reads'],
  [
    'gas as a number',
    () => engine.executeAs(alice, transfer(), any({ maxGasAmount: 5 })),
    'maxGasAmount: expected a bigint from 0 to 2^64 - 1, got 5',
  ],
  [
    'a gas option misspelt',
    () => engine.executeAs(alice, transfer(), any({ maxGas: 5n })),
    'maxGas: there is no such option; expected one of maxGasAmount',
  ],
  [
    'more gas than the chain allows',
    () => engine.executeAs(alice, transfer(), { maxGasAmount: 10n ** 12n }),
    'ask for less gas',
  ],
  [
    'no coins for gas',
    () => engine.executeAs(NONE, transfer()),
    `the sender cannot pay for the gas that it asks for (the deposit for 1000000000 gas units at 0.00000001 RGAS each is 10 RGAS, and ${NONE} has 0 RGAS); give it coins, or ask for less gas: maxGasAmount`,
  ],
  // Reading
  [
    'a view by position',
    () => engine.view(any('0x3::gas_coin::balance')),
    'call: expected a call { function, typeArguments, arguments }',
  ],
  [
    'a view misspelt',
    () => engine.view(balance({ function: '0x3::gas_coin::balanc' })),
    "module gas_coin has no balanc; did you mean 'balance'?",
  ],
  [
    'a view that changes something',
    () => engine.view({ function: '0x2::tx_context::fresh_address' }),
    'which a view function may not: send a transaction',
  ],
  [
    'a view option misspelt',
    () => engine.tryView(balance(), any({ traced: true })),
    "traced: there is no such option; did you mean 'trace'?",
  ],
  [
    'a short coin',
    () => engine.balance(alice, 'RGas'),
    'coinType: expected a struct type (<address>::<module>::<name>), got "RGas"',
  ],
  ['an id that is missing', () => engine.objects.get(any(undefined)), 'id: expected an object id'],
  [
    'a page option misspelt',
    () => engine.objects.list({ kind: 'owner', owner: alice }, any({ limt: 5 })),
    "limt: there is no such option; did you mean 'limit'?",
  ],
  [
    'a type as a filter',
    () => engine.objects.list(any('0x3::a::B')),
    "filter: expected an object with a kind: 'type', 'owner'",
  ],
  [
    'a filter of two kinds',
    () => engine.objects.list(any({ kind: 'type', type: COIN, owner: alice })),
    'filter.owner: there is no such option; expected one of kind, type',
  ],
  ['a proof of the root', () => engine.proofs.object('0x'), 'id: expected an object below the root object'],
  ['an order as a number', () => engine.at(any(1)), 'rootOrOrder: expected a state root'],
  ['an order beyond the head', () => engine.at(10n ** 9n), 'rootOrOrder: expected an order from 0 to'],
  [
    'a trace by a number',
    () => engine.trace(any(1)),
    'transaction: expected the hash of a transaction, or its order as a bigint, got 1',
  ],
  ['an event kind misspelt', () => engine.on(any('transactions'), () => {}), "kind: expected 'transaction', 'event'"],
  ['no listener', () => engine.on('transaction', any(undefined)), 'listener: expected a function, got undefined'],
  [
    'a path with a member misspelt',
    () => engine.states.get(any({ kind: 'object', idz: ['0x3'] })),
    "path.idz: there is no such option; did you mean 'ids'?",
  ],
  // Publishing and compiling
  [
    'a path to publish',
    () => engine.publish(alice, any('./counter.mv')),
    'modules: expected modules, each as its bytes, or a compiled package, got "./counter.mv"',
  ],
  [
    'one module, not a list',
    () => engine.publish(alice, any(new Uint8Array(5))),
    'modules: expected modules, each as its bytes, or a compiled package, got 5 bytes',
  ],
  [
    'publish without a sender',
    () => engine.publish(any([new Uint8Array(5)]), any(undefined)),
    'sender: expected an address',
  ],
  [
    'bytes that are no module',
    () => engine.publish(alice, [new Uint8Array(5)]),
    'modules[0]: expected the magic number',
  ],
  [
    'a text, not texts by name',
    () => compileSources(any('module 0x1::a {}')),
    'sources: expected texts by name, such as { "counter.move": text }',
  ],
  [
    'a named address without a value',
    () => compileSources({ 'a.move': 'module counter::a {}' }),
    /the address 'counter' has no value[\s\S]*give it one: counter = "0x42" under \[addresses\] of Move\.toml/,
  ],
  // Controls
  [
    'an amount as a number',
    () => engine.dev.mint(alice, any(5)),
    'amount: expected a bigint from 0 to 2^256 - 1, got 5',
  ],
  [
    'a coin in place of the amount',
    () => engine.dev.mint(alice, any(COIN), any(5n)),
    `amount: expected a bigint from 0 to 2^256 - 1, got "${COIN}"`,
  ],
  [
    'a coin that does not exist',
    () => engine.dev.mint(alice, 5n, '0x3::gas_coin::RGsa'),
    '0x3::gas_coin::RGsa is no coin of this chain',
  ],
  [
    'an invalid date as a time',
    () => engine.dev.time.set(new Date('tomorrow')),
    'milliseconds: expected an integer from 0',
  ],
  ['a time that is past', () => engine.dev.time.set(5n), 'a chain never goes back, except to a snapshot'],
  ['a miner by name', () => engine.dev.mine({ to: 'alice' }), 'to: expected an account, a Bitcoin address'],
  [
    'an edit misspelt',
    () => engine.dev.setObject('0x3', any({ ownr: alice })),
    "ownr: there is no such option; did you mean 'owner'?",
  ],
  ['another snapshot', () => engine.revert(any(5)), 'snapshot: expected a snapshot, as engine.snapshot() gives it'],
  // Testing
  [
    'a receipt that was not awaited',
    () => expectChain(engine.executeAs(alice, transfer())).toBeExecuted(),
    'expected a receipt (did you await the transaction?), got a promise: await it',
  ],
  [
    'a preparation that is no function',
    () => new PreparedChain({ prepare: any(5) }),
    'prepare: expected a function, got 5',
  ],
  ['an engine that is missing', () => roochTransport(any(undefined)), 'engine: expected an engine, got undefined'],
];

/** What an error says first of where it was made. */
const firstFrame = (error: Error): string | undefined =>
  (error.stack ?? '').slice((error.stack ?? '').indexOf(error.message) + error.message.length).split('\n')[1];

describe('a mistake', () => {
  it('is one of at least sixty', () => {
    expect(MISTAKES.length).toBeGreaterThanOrEqual(60);
  });

  it.each(MISTAKES)('%s', async (_mistake, make, message) => {
    const error = await Promise.resolve()
      .then(make)
      .then(
        () => undefined,
        (thrown: unknown) => thrown as Error & { code: string },
      );
    expect(error?.name).toBe('EngineError');
    if (typeof message === 'string') expect(error?.message).toContain(message);
    else expect(error?.message).toMatch(message);
    expect(firstFrame(error!)).toContain('/test/mistakes.test.ts:');
  });
});
