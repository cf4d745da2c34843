/**
 * Wrong calls of what test runners use.
 * @module
 */

import { compile, compileSources } from '../../src/compile/index.ts';
import { record } from '../../src/engine/recordings.ts';
import { addSources, replay } from '../../src/index.ts';
import { TestChain } from '../../src/testing/chain.ts';
import { argumentsOf, type InvariantOptions, invariant } from '../../src/testing/fast-check.ts';
import { expectChain, fixture, matchers, PreparedChain } from '../../src/testing/testing.ts';
import { testOn } from '../../src/testing/vitest.ts';
import { movelet } from '../../src/testing/vitest-plugin.ts';
import { members, type Table, tries, type World, type WrongCall } from './attempts.ts';
import {
  ANYTHING_ELSE,
  NO_ADDRESS,
  NO_BYTES,
  NO_FUNCTION,
  NO_OBJECT,
  NO_OPTIONS,
  NO_ORDER,
  NO_TEXT,
} from './values.ts';

/** Forms of an executed receipt, to be compared with what it cannot be compared with. */
const RECEIPT = { status: { kind: 'executed' }, events: [] };
const NO_AMOUNT = [undefined, null, 0.5, Number.NaN, '5', true, {}, []];
const NO_CODE = NO_AMOUNT.filter((value) => typeof value !== 'string');
const NO_RECEIPT = [...NO_OBJECT, {}, [], Promise.resolve(RECEIPT)];
const NO_RUN = new Uint8Array(0);
const NO_ENGINE = [...ANYTHING_ELSE, 'text', {}, []];

const INVARIANT: InvariantOptions = { calls: ['0x3::empty::empty'], holds: () => true };

export function testingCalls({ engine }: World): Table {
  return {
    fixture: [
      ...tries('key', [...NO_TEXT, '', 'k'.repeat(5_000)], (key) => fixture(engine, key, () => {})),
      ...tries('prepare', NO_FUNCTION, (prepare) => fixture(engine, 'wrong', prepare)),
    ],
    record: [
      ...tries('options', NO_OPTIONS, (options) => record(engine, options)),
      ...members({ write: [null, 5, 'file', {}], file: ['run'] }, (given) => record(engine, given)),
    ],
    addSources: [
      ...tries('modules', [undefined, null, 5, 'text', {}], (modules) => addSources(modules)),
      ...tries('modules', [[null], [5], [{}], [{ bytes: '0x' }]], (modules) => addSources(modules)),
    ],
    replay: [
      ...tries('recording', NO_BYTES, (recording) => replay(recording)),
      ...tries('options', NO_OPTIONS, (options) => replay(NO_RUN, options)),
      ...members(
        {
          to: NO_ORDER.slice(1),
          onProgress: [null, 5, 'text', {}],
          store: [null],
          clock: [null, 5n, Date.now],
          chainId: [4n],
        },
        (given) => replay(NO_RUN, given),
      ),
    ],
    invariant: [
      ...tries('engine', NO_ENGINE, (chain) => invariant(chain, INVARIANT)),
      ...tries('options', [undefined, null, 5, 'text', []], (options) => invariant(engine, options)),
      ...tries('calls', [undefined, null, 5, 'text', []], (calls) => invariant(engine, { ...INVARIANT, calls })),
      ...tries('calls[0]', [null, 5, [], {}, '0x1'], (call) => invariant(engine, { ...INVARIANT, calls: [call] })),
      ...tries(
        'calls[0]',
        [
          { name: 5, run: () => {} },
          { name: 'a', run: 5 },
        ],
        (step) => invariant(engine, { ...INVARIANT, calls: [step as never] }),
      ),
      ...tries('holds', NO_FUNCTION, (holds) => invariant(engine, { ...INVARIANT, holds })),
      ...tries('senders', [null, 5, [], 'text'], (senders) => invariant(engine, { ...INVARIANT, senders })),
      ...tries('runs', [null, 0, -1, 0.5, '5'], (runs) => invariant(engine, { ...INVARIANT, runs })),
      ...tries('callsMax', [null, 0, 1e9, '5'], (callsMax) => invariant(engine, { ...INVARIANT, callsMax })),
      ...tries('seed', [null, 0.5, 2 ** 40, '5'], (seed) => invariant(engine, { ...INVARIANT, seed })),
      ...tries('timeMs', [null, 0, '5'], (timeMs) => invariant(engine, { ...INVARIANT, timeMs })),
      ...tries('run', [5], (run) => invariant(engine, { ...INVARIANT, run } as never)),
    ],
    argumentsOf: [
      ...tries('engine', NO_ENGINE, (chain) => argumentsOf(chain, '0x3::empty::empty')),
      ...tries('function', [...NO_TEXT, 'empty', '0x3::empty'], (name) => argumentsOf(engine, name)),
      ...tries('typeArguments', [null, 5, 'text', [5]], (types) => argumentsOf(engine, '0x3::empty::empty', types)),
    ],
    compile: [
      ...tries('directory', NO_TEXT, (directory) => compile(directory)),
      ...tries('options', NO_OPTIONS, (options) => compile('examples/counter', options)),
      ...members({ test: [null, 5, 'yes'], addresses: [null, 5, 'a=1', { a: 5 }] }, (given) =>
        compile('examples/counter', given),
      ),
    ],
    compileSources: [
      ...tries('sources', [null, 5, 'text', { a: 5 }], (sources) => compileSources(sources as never)),
      ...tries('options', NO_OPTIONS, (options) => compileSources({}, options)),
      ...tries('addresses', [null, 5, 'a=1', { a: 5 }], (addresses) => compileSources({}, { addresses })),
    ],
    'new PreparedChain': [
      ...tries('options', NO_OPTIONS, (options) => new PreparedChain(options)),
      ...members({ prepare: [null, 5, 'text', {}], replays: [null, 5, '', {}] }, (given) => new PreparedChain(given)),
      ...tries('chain', [4n], (chain) => new PreparedChain({ chain } as never).fork()),
    ],
    'TestChain#leaveReplay': tries('test', NO_TEXT, (test) => new TestChain(engine.fork()).leaveReplay(test)),
    testOn: [
      ...tries('options', NO_OPTIONS, (options) => testOn(options)),
      ...tries('prepare', [null, 5, 'text', {}], (prepare) => testOn({ prepare })),
    ],
    movelet: [
      ...tries('options', NO_OPTIONS, (options) => movelet(options)),
      ...members({ addresses: [null, 5, 'a=1', { a: 5 }], coverage: [null, 5, '', {}] }, (given) => movelet(given)),
    ],
    expectChain: tries('expect(...)', NO_RECEIPT, (received) => expectChain(received).toBeExecuted()),
    ...named('object', engine, (name) => matchers[name] as Matcher),
    ...named('ChainExpectation', engine, (name) => (received, ...expected) => {
      const check = expectChain(received)[name] as (...given: readonly unknown[]) => unknown;
      return check(...expected);
    }),
  };
}

type Matcher = (received: unknown, ...expected: readonly unknown[]) => unknown;

/** Rows of the matchers, which can be obtained in two ways. */
function named(owner: string, engine: World['engine'], find: (name: keyof typeof matchers) => Matcher): Table {
  const act = (): void => {};
  const [executed, abort, emit, balance, utxo] = (
    ['toBeExecuted', 'toAbortWith', 'toEmit', 'toChangeBalance', 'toOwnUtxo'] as const
  ).map(find) as [Matcher, Matcher, Matcher, Matcher, Matcher];
  const received = (matcher: Matcher, ...expected: unknown[]): WrongCall[] =>
    tries('expect(...)', NO_RECEIPT, (given) => matcher(given, ...expected));
  const of = { engine, owner: '0x42' };
  return {
    [`${owner}#toBeExecuted`]: received(executed),
    [`${owner}#toAbortWith`]: [...received(abort, 1), ...tries('code', NO_CODE, (code) => abort(RECEIPT, code))],
    [`${owner}#toEmit`]: [
      ...received(emit, 'Added'),
      ...tries('type', NO_TEXT, (type) => emit(RECEIPT, type)),
      ...tries('value', NO_OPTIONS, (value) => emit(RECEIPT, 'Added', value)),
    ],
    [`${owner}#toChangeBalance`]: [
      ...tries('expect(...)', NO_FUNCTION, (given) => balance(given, of, 1)),
      ...tries('of', [undefined, ...NO_OPTIONS], (given) => balance(act, given, 1)),
      ...members({ engine: NO_ENGINE, owner: NO_ADDRESS }, (given) => balance(act, { ...of, ...given }, 1)),
      ...tries('of.coin', ['0x3::gas_coin::RGas'], (coin) => balance(act, { ...of, coin }, 1)),
      ...tries('difference', NO_AMOUNT, (difference) => balance(act, of, difference)),
    ],
    [`${owner}#toOwnUtxo`]: [
      ...tries('expect(...)', [undefined, ...NO_ENGINE], (given) => utxo(given, '0x42')),
      ...tries('members', NO_OPTIONS, (members) => utxo(engine, '0x42', members)),
      ...tries('owner', NO_ADDRESS, (owner) => utxo(engine, owner)),
    ],
  };
}
