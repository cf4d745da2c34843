/**
 * Matchers for receipts and chains, in the form that `expect.extend` of Vitest, Jest and Bun takes.
 * @module
 */

import {
  argumentError,
  assertFits,
  assertMethods,
  assertObject,
  assertOptions,
  type Expectation,
  TEXT,
} from '../base/argument.ts';
import { didYouMean } from '../base/nearest-name.ts';
import { type AddressInput, toAddress } from '../bitcoin/address.ts';
import { plainJson } from '../chain/value/readable.ts';
import type { Engine } from '../engine/engine.ts';
import { GAS_COIN_TYPE } from '../execution/framework/coin.ts';
import { failureLines } from '../execution/trace/explain-failure.ts';
import { valueText } from '../execution/trace/kept-value.ts';
import { shortText } from '../execution/trace/short-text.ts';
import { formatAddress } from '../move/address.ts';
import { structName, toStructTag, typeMatcher } from '../move/type-tag.ts';
import { CoinMoves } from '../pipeline/coin-moves.ts';
import { Receipt } from '../pipeline/receipt.ts';
import type { OwnedUtxo } from '../query/values.ts';
import { assertComparable, assertPossible, differences, expectedText, hasSubset } from './subset.ts';

/** The result of a matcher. */
export interface MatchResult {
  readonly pass: boolean;
  /** Says what failed: the matcher or, after `not`, its negation. */
  readonly message: () => string;
}

/** Which balance to look at. */
export interface BalanceOf {
  /** An engine, or an engine at an earlier moment. */
  readonly engine: {
    readonly balances: { get(owner: AddressInput, coinType: string): { readonly balance: bigint } };
  };
  readonly owner: AddressInput;
  /** Default: the gas coin. */
  readonly coinType?: string | undefined;
}

const GAS_COIN = structName(GAS_COIN_TYPE);

const AN_AMOUNT: Expectation = [
  'a whole number or a bigint',
  (value) => typeof value === 'bigint' || Number.isSafeInteger(value),
];
const AN_ABORT_CODE: Expectation = ['a code or its name', (value) => typeof value === 'string' || AN_AMOUNT[1](value)];
const UTXO_MEMBERS: Readonly<Record<keyof OwnedUtxo & string, undefined>> = {
  txid: undefined,
  vout: undefined,
  value: undefined,
  seals: undefined,
  owner: undefined,
  objectId: undefined,
};
const ANYTHING: Expectation = ['a value', () => true];
const BALANCE_OF = { engine: ANYTHING, owner: ANYTHING, coinType: TEXT };

/** Functions of the received and the expected value. They throw `invalid-argument` for values that cannot be compared. */
export const matchers = {
  /** `expect(receipt).toBeExecuted()` */
  toBeExecuted(received: unknown): MatchResult {
    const receipt = toReceipt(received);
    return {
      pass: receipt.status.kind === 'executed',
      message: () =>
        `expected the transaction ${receipt.status.kind === 'executed' ? 'not ' : ''}to be executed\n\n${receipt}`,
    };
  },

  /** `expect(receipt).toAbortWith(3n)`, or with the name of the code: `toAbortWith('ErrorInsufficientBalance')` */
  toAbortWith(received: unknown, expected: bigint | number | string): MatchResult {
    const receipt = toReceipt(received);
    assertFits(expected, 'code', AN_ABORT_CODE);
    const { failure } = receipt;
    const { abortCode, abortName } = failure ?? {};
    const pass =
      typeof expected === 'string'
        ? abortName === expected || abortName?.split(' or ').includes(expected) === true
        : abortCode !== undefined && abortCode === BigInt(expected);
    return {
      pass,
      message: () =>
        `expected the transaction ${pass ? 'not ' : ''}to abort with ${expected}${abortHint(expected, failure)}\n\n${receipt}`,
    };
  },

  /**
   * `expect(receipt).toEmit('counter::Added', { amount: 7n })`: there is an event with these members whose type is `type`, or
   * ends with `::` and `type`.
   */
  toEmit(received: unknown, type: string, value?: object): MatchResult {
    const { events, failure } = toReceipt(received);
    const isNamed = typeMatcher(type, 'type');
    if (value !== undefined) {
      assertObject(value, 'value');
      assertComparable(value, 'value');
    }
    const named = events.filter((event) => isNamed(event.type));
    if (value !== undefined && named.length > 0) {
      const [what] = named[0]!.type.split('::').slice(2).join('::').split('<');
      assertPossible(
        value,
        'value',
        what!,
        named.map((event) => event.value),
      );
    }
    const pass = named.some((event) => value === undefined || hasSubset(event.value, value));
    const wanted = shortText(`${type}${value === undefined ? '' : ` with ${expectedText(value)}`}`);
    return {
      pass,
      message: () => {
        const why =
          failure === undefined ? '' : `; the transaction failed:\n${lines(failureLines(failure).map(shortText))}`;
        const hint = named.length > 0 ? '' : nearestType(type, events);
        const emitted = [...named, ...ownFirst(events.filter((event) => !named.includes(event)))].flatMap((event) => {
          const isCompared = !pass && value !== undefined && isNamed(event.type);
          return [eventText(event), ...(isCompared ? differences(event.value, value).map(marked) : [])];
        });
        return `expected ${pass ? 'no ' : ''}event ${wanted}${hint}; emitted:\n${lines(emitted)}${why}`;
      },
    };
  },

  /**
   * `await expect(() => engine.executeAs(...)).toChangeBalance({ engine, owner }, -5n)`: calling the function changes a balance
   * by this amount. If the function returns a promise, it is awaited. The fee counts if the owner pays it.
   */
  async toChangeBalance(received: unknown, of: BalanceOf, expected: bigint | number): Promise<MatchResult> {
    if (typeof received !== 'function') throw argumentError('expect(...)', 'a function that does something', received);
    assertOptions(of, BALANCE_OF, 'of');
    assertMethods(of.engine?.balances, 'engine', 'an engine', ['get']);
    assertFits(expected, 'difference', AN_AMOUNT);
    const { engine, owner, coinType = GAS_COIN } = of;
    toAddress(owner, 'owner');
    const balance = (): bigint => engine.balances.get(owner, coinType).balance;
    const before = balance();
    const done: unknown = await received();
    const difference = balance() - before;
    const pass = difference === BigInt(expected);
    return {
      pass,
      message: () =>
        `expected the balance of ${ownerText(owner)} in ${coinType} ${pass ? 'not ' : ''}to change by ${expected}; it changed by ${difference}${gasText(done, owner, coinType)}, from ${before} to ${before + difference}${failureText(done)}`,
    };
  },

  /** `await expect(engine).toOwnUtxo(address, { value: 10_000n })`: the address owns an unspent output with these members. */
  async toOwnUtxo(received: unknown, owner: AddressInput, members: object = {}): Promise<MatchResult> {
    const engine = received as Pick<Engine, 'bitcoin'> | undefined;
    if (typeof engine?.bitcoin?.utxos !== 'function') throw argumentError('expect(...)', 'an engine', received);
    assertObject(members, 'members');
    assertComparable(members, 'members');
    assertPossible(members, 'members', 'an output', [UTXO_MEMBERS]);
    const filter = { kind: 'owner', owner: toAddress(owner, 'owner') } as const;
    const owned: unknown[] = [];
    for (let page = await engine.bitcoin.utxos(filter); ; ) {
      owned.push(...page.data);
      if (!page.hasNextPage) break;
      page = await engine.bitcoin.utxos(filter, { cursor: page.nextCursor });
    }
    const pass = owned.some((one) => hasSubset(one, members));
    return {
      pass,
      message: () =>
        `expected ${ownerText(owner)} ${pass ? 'not ' : ''}to own an output with ${expectedText(members)}; owned:\n${lines(owned.map((one) => JSON.stringify(plainJson(one))))}`,
    };
  },
};

function toReceipt(received: unknown): Receipt {
  const { status, events } = (received ?? {}) as Partial<Receipt>;
  if (typeof status?.kind === 'string' && Array.isArray(events)) return received as Receipt;
  throw argumentError('expect(...)', 'a receipt (did you await the transaction?)', received);
}

/** A hint for a name that is not the name of the code. */
function abortHint(expected: bigint | number | string, failure: Receipt['failure']): string {
  if (typeof expected !== 'string' || failure?.abortCode === undefined) return '';
  const { abortCode, abortName, module, source } = failure;
  if (abortName !== undefined) {
    const [hint] = didYouMean(expected, abortName.split(' or '));
    return hint === undefined ? '' : `; ${hint}`;
  }
  const unnamed = `; it aborted with ${abortCode}, which has no name here:`;
  if (source !== undefined) return `${unnamed} no constant of ${module} has that value`;
  return `${unnamed} the sources of ${module} are not known; publish what compile gave, or call addSources`;
}

/** A hint at the event type that was probably meant, with as many parts of its name as were given. */
function nearestType(type: string, events: Receipt['events']): string {
  const parts = type.split('<')[0]!.split('::').length;
  const names = events.map((event) => event.type.split('<')[0]!.split('::').slice(-parts).join('::'));
  const [hint] = didYouMean(type, new Set(names));
  return hint === undefined ? '' : `; ${hint}`;
}

/** The events with those of the framework last. */
function ownFirst(events: Receipt['events']): Receipt['events'] {
  const isOfFramework = (event: Receipt['events'][number]): boolean => /^0x[0-9a-f]{1,4}::/.test(event.type);
  return [...events.filter((event) => !isOfFramework(event)), ...events.filter(isOfFramework)];
}

const marked = (difference: string): string => `    ${shortText(difference)}`;

function eventText({ type, value }: Receipt['events'][number]): string {
  return shortText(`${type} ${valueText(value)}`);
}

function lines(texts: readonly string[]): string {
  return texts.length === 0 ? '  none' : texts.map((text) => `  ${text}`).join('\n');
}

/** Why the transaction failed, if the function returned its receipt. */
function failureText(returned: unknown): string {
  const { failure } = (returned ?? {}) as Partial<Receipt>;
  return failure === undefined ? '' : `\n\n${returned}`;
}

/** How much of the difference is gas, if the function returned the receipt of the transaction. */
function gasText(returned: unknown, owner: AddressInput, coinType: string): string {
  if (!(returned instanceof Receipt)) return '';
  const moves = new CoinMoves([returned.inside]);
  const gas = moves.gas(formatAddress(toAddress(owner, 'owner')), toStructTag(coinType, 'coinType'));
  return gas === 0n ? '' : `, of which ${-gas} is gas`;
}

/** `account 0` for an account of the chain; other addresses as they were written. */
function ownerText(owner: AddressInput): string {
  const address = formatAddress(toAddress(owner, 'owner'));
  const name = shortText(address);
  if (name.startsWith('account ')) return name;
  return typeof owner === 'string' ? owner : address;
}
