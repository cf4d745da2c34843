/**
 * Wrong calls of what test runners use.
 * @module
 */

import { compile, compileSources } from '../../src/compile/index.ts';
import { record } from '../../src/engine/recordings.ts';
import { addSources, replay } from '../../src/index.ts';
import { TestChain } from '../../src/testing/chain.ts';
import { fixture } from '../../src/testing/fixture.ts';
import { expectChain, matchers, PreparedChain } from '../../src/testing/testing.ts';
import { testOn } from '../../src/testing/vitest.ts';
import { type Table, tries, type World, type WrongCall } from './attempts.ts';
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

export function testingCalls({ engine }: World): Table {
  return {
    fixture: [
      ...tries('key', [...NO_TEXT, '', 'k'.repeat(5_000)], (key) => fixture(engine, key, () => {})),
      ...tries('prepare', NO_FUNCTION, (prepare) => fixture(engine, 'wrong', prepare)),
    ],
    record: [
      ...tries('options', NO_OPTIONS, (options) => record(engine, options)),
      ...tries('write', [null, 5, 'file', {}], (write) => record(engine, { write })),
      ...tries('file', ['run'], (file) => record(engine, { file } as never)),
    ],
    addSources: [
      ...tries('modules', [undefined, null, 5, 'text', {}], (modules) => addSources(modules)),
      ...tries('modules', [[null], [5], [{}], [{ bytes: '0x' }]], (modules) => addSources(modules)),
    ],
    replay: [
      ...tries('recording', NO_BYTES, (recording) => replay(recording)),
      ...tries('options', NO_OPTIONS, (options) => replay(NO_RUN, options)),
      ...tries('to', NO_ORDER.slice(1), (to) => replay(NO_RUN, { to })),
      ...tries('onProgress', [null, 5, 'text', {}], (onProgress) => replay(NO_RUN, { onProgress })),
      ...tries('store', [null], (store) => replay(NO_RUN, { store })),
      ...tries('clock', [null, 5n, Date.now], (clock) => replay(NO_RUN, { clock })),
      ...tries('chainId', [4n], (chainId) => replay(NO_RUN, { chainId } as never)),
    ],
    compile: [
      ...tries('directory', NO_TEXT, (directory) => compile(directory)),
      ...tries('options', NO_OPTIONS, (options) => compile('examples/counter', options)),
      ...tries('test', [null, 5, 'yes'], (test) => compile('examples/counter', { test })),
      ...tries('addresses', [null, 5, 'a=1', { a: 5 }], (addresses) => compile('examples/counter', { addresses })),
    ],
    compileSources: [
      ...tries('sources', [null, 5, 'text', { a: 5 }], (sources) => compileSources(sources as never)),
      ...tries('options', NO_OPTIONS, (options) => compileSources({}, options)),
      ...tries('addresses', [null, 5, 'a=1', { a: 5 }], (addresses) => compileSources({}, { addresses })),
    ],
    'new PreparedChain': [
      ...tries('options', NO_OPTIONS, (options) => new PreparedChain(options)),
      ...tries('prepare', [null, 5, 'text', {}], (prepare) => new PreparedChain({ prepare })),
      ...tries('replays', [null, 5, '', {}], (replays) => new PreparedChain({ replays })),
      ...tries('chain', [4n], (chain) => new PreparedChain({ chain } as never).fork()),
    ],
    'TestChain#leaveReplay': tries('test', NO_TEXT, (test) => new TestChain(engine.fork()).leaveReplay(test)),
    testOn: [
      ...tries('options', NO_OPTIONS, (options) => testOn(options)),
      ...tries('prepare', [null, 5, 'text', {}], (prepare) => testOn({ prepare })),
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
      ...tries('engine', NO_ENGINE, (given) => balance(act, { ...of, engine: given }, 1)),
      ...tries('owner', NO_ADDRESS, (given) => balance(act, { ...of, owner: given }, 1)),
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
