/**
 * A story of transactions on three chains: the test network's own genesis (release 23), our genesis with the modules of
 * the newest release (27) in the places of ours, and our framework. The reference's Move code rules the first two. All
 * must end alike: statuses, refusals, events byte for byte; the last two, which differ in nothing but code, with the same
 * changes.
 *
 * What a function costs follows from how it is written, so the gas of the bodies differs, and the amounts of the fee with
 * it: the shares in the last events, the balances behind them. They must be what the chain's rule makes of the gas that
 * was used: three tenths for the sequencer, as much for the author of the code that was called, the rest for the
 * framework; what was not used goes back to the sender. `pre_execute` and `post_execute` cost the sender nothing on any of
 * the chains; what they would cost if they were metered is compared too. As measured, in gas units of release 23, release
 * 27 and ours:
 *
 * | | release 23 | release 27 | ours |
 * | --- | --- | --- | --- |
 * | pre_execute | 5,257,140 | 2,740,175 | 2,301,738 |
 * | post_execute | 7,330,858 | 3,660,708 | 3,208,957 |
 * | transfer_coin to a new account | 7,116,365 | 3,159,428 | 2,812,854 |
 * | create_session_key_entry | 3,043,284 | 1,352,230 | 1,186,500 |
 * | publish_package_entry, a module | 3,164,086 | 1,714,171 | 1,746,182 |
 * | did::create_did_object_for_self_entry | 6,588,116 | 3,086,884 | 4,016,742 |
 */
import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { encode, u256 } from '../../src/base/bcs.ts';
import { toHex } from '../../src/base/bytes/bytes.ts';
import { CHAIN_ID_TEST } from '../../src/base/config.ts';
import { EngineError } from '../../src/base/error.ts';
import { frameworkGenesis } from '../../src/execution/genesis/framework-genesis.ts';
import { releasedGenesis } from '../../src/execution/genesis/released-genesis.ts';
import { FRAMEWORK_ADDRESS, parseAddress } from '../../src/move/address.ts';
import { displayStruct, structTag } from '../../src/move/type-tag.ts';
import { namedObjectId } from '../../src/query/transaction-builder.ts';
import { linesOf } from '../execution/framework/outcomes.ts';
import { hasReference, referenceNote, releasedPackages } from '../vm/corpus.ts';
import { ALICE, StepChain } from './step-chain.ts';
import { STORY } from './story.ts';

const FILE = `${process.env['MOVELET_REFERENCE'] ?? ''}/crates/rooch-genesis/released/test`;
const NEWEST = 27;

const alice = parseAddress(ALICE.address);
/** A chain where nobody has an account, as in the file. */
const SETTINGS = {
  chainId: CHAIN_ID_TEST,
  timestamp: 1_714_777_860_000n,
  bitcoinNetwork: 'testnet',
  reorganisationDepth: 0n,
  accounts: [],
} as const;
const COINS = 1_000_000_000_000n;
/** Hex digits of an amount of coins, with which events about one end. */
const AMOUNT_DIGITS = 64;
/** What the story's transactions ask for, except the one that never ends. */
const GAS_MAX = 100_000_000n;

const CHAINS = ['release 23', 'release 27', 'ours'] as const;
type ChainName = (typeof CHAINS)[number];

interface Ended {
  /** The kept status, or why it was refused. */
  readonly outcome: unknown;
  /** Type and data of each, with the shares of the fee by name. */
  readonly events: readonly string[];
  /** What it did to each object, without what depends on the fee. */
  readonly changes: readonly string[];
  readonly gasUsed: bigint;
  /** Gas that `pre_execute` and `post_execute` would cost. */
  readonly around: readonly [before: bigint, after: bigint] | undefined;
}

/** The store that fees are collected in, which tables made at genesis have given another id on each chain. */
function poolOf(chain: StepChain): string {
  const pool = chain.state.object(namedObjectId(structTag(FRAMEWORK_ADDRESS, 'transaction_fee', 'TransactionFeePool')));
  return toHex(pool!.value);
}

/** Amounts of the fee as they end an event's data, and what they are of the gas that was used. */
function sharesOf(gasUsed: bigint): ReadonlyMap<string, string> {
  const share = (gasUsed * 3n) / 10n;
  return new Map(
    [
      ['THREE TENTHS', share],
      ['THE REST WITHOUT AN AUTHOR', gasUsed - share],
      ['THE REST', gasUsed - 2n * share],
      ['WHAT WAS NOT USED', GAS_MAX - gasUsed],
    ].map(([name, amount]) => [toHex(encode(u256, amount as bigint)), name as string]),
  );
}

function tell(chain: StepChain): Ended[] {
  const pool = poolOf(chain);
  return STORY.map(({ sign }) => {
    const signed = sign(chain);
    try {
      const around = chain.gasAround(signed);
      const { status, events, gasUsed, changeSet } = chain.execute(signed);
      const shares = sharesOf(gasUsed);
      const text = (data: Uint8Array): string => {
        const hex = toHex(data).replaceAll(pool, 'POOL');
        const share = shares.get(hex.slice(-AMOUNT_DIGITS));
        return share === undefined ? hex : `${hex.slice(0, -AMOUNT_DIGITS)} ${share}`;
      };
      return {
        outcome: status,
        events: events.map(({ eventType, eventData }) => `${displayStruct(eventType)} ${text(eventData)}`),
        changes: linesOf(changeSet.changes),
        gasUsed,
        around,
      };
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      const outcome = error.message.replace(/;.*| \(the next.*/, '');
      return { outcome, events: [], changes: [], gasUsed: 0n, around: undefined };
    }
  });
}

/** Balances depend on the fees paid, as do the shares in the events. */
const BALANCE =
  /^(\S+ .*0x3::(?:coin_store|multi_coin_store)::CoinStore(?:<0x3::gas_coin::RGas>|Field>) .* (?:new|modify) .*)[0-9a-f]{64}(0[01])$/;

function withoutBalance(line: string): string {
  return line.replace(BALANCE, '$1BALANCE$2');
}

/** The ratio of ours to theirs, to two decimals. */
const ratio = (ours: bigint, theirs: bigint): number => Number((ours * 100n) / theirs) / 100;

describe.skipIf(!hasReference)(`a story of transactions${referenceNote}`, () => {
  let told: Readonly<Record<ChainName, readonly Ended[]>>;
  let chain: StepChain;

  beforeAll(async () => {
    const older = await StepChain.open({ genesis: releasedGenesis(new Uint8Array(readFileSync(FILE))) });
    const newer = await StepChain.open({ genesis: frameworkGenesis(SETTINGS) });
    newer.replaceModules(releasedPackages(NEWEST).flatMap(({ modules }) => modules));
    chain = await StepChain.open({ genesis: frameworkGenesis(SETTINGS) });
    for (const each of [older, newer, chain]) each.fund(alice, COINS);
    told = { 'release 23': tell(older), 'release 27': tell(newer), ours: tell(chain) };
    console.info(`gas used, before and after, in ${CHAINS.join('; ')}\n${table().join('\n')}`);
  });

  function of(index: number): readonly [older: Ended, newer: Ended, ours: Ended] {
    const [older, newer, ours] = CHAINS.map((name) => told[name][index]!);
    return [older!, newer!, ours!];
  }

  function table(): string[] {
    return STORY.map(({ name }, index) => {
      const columns = of(index).map(({ gasUsed, around }) => [gasUsed, ...(around ?? [])].join(' '));
      return `${name}: ${columns.join('; ')}`;
    });
  }

  it.each(STORY.map(({ name }, index) => ({ name, index })))('ends $name alike', ({ index }) => {
    const [older, newer, ours] = of(index);
    expect([ours.outcome, ours.events]).toEqual([older.outcome, older.events]);
    expect([ours.outcome, ours.events]).toEqual([newer.outcome, newer.events]);
    expect(ours.changes.map(withoutBalance)).toEqual(newer.changes.map(withoutBalance));
  });

  it('costs at most a third more in ours than in the newest release, and less before and after the action', () => {
    for (const [index, { name }] of STORY.entries()) {
      const [, newer, ours] = of(index);
      if (newer.around === undefined) continue;
      expect(ratio(ours.gasUsed, newer.gasUsed), name).toBeLessThan(1.34);
      const [before, after] = newer.around;
      expect(ratio(ours.around![0], before), `before ${name}`).toBeLessThan(1);
      expect(ratio(ours.around![1], after), `after ${name}`).toBeLessThan(1);
    }
  });

  it('counts what was ordered, and makes no coin', () => {
    const ordered = told.ours.filter(({ events }) => events.length > 0).length;
    expect(chain.sequenceNumber(alice)).toBe(BigInt(ordered));
    expect(ordered).toBeGreaterThan(20);
    expect(chain.supply()).toBe(COINS);
  });
});
