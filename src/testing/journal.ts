import { decode, string } from '../base/bcs.ts';
import { toHexPrefixed } from '../base/bytes/bytes.ts';
import { unlessRefused } from '../base/error.ts';
import { formatObjectId, parentObjectId } from '../chain/object/object-id.ts';
import { isDynamicField } from '../chain/object/object-state.ts';
import type { ObjectDifference } from '../chain/state/diff.ts';
import { dynamicFieldValue } from '../chain/state/state.ts';
import type { KeptStatus } from '../chain/transaction/execution-info.ts';
import { transactionTitle } from '../chain/transaction/ledger.ts';
import { statusValue } from '../chain/value/status.ts';
import type { Engine } from '../engine/engine.ts';
import { type CoinInfo, coinInfo, coinInfoId, coinStoreField } from '../execution/framework/coin.ts';
import { failureLines } from '../execution/trace/explain-failure.ts';
import { shortLine, shortText } from '../execution/trace/short-text.ts';
import { formatAddress } from '../move/address.ts';
import { parseStructTag, type StructTag, structName } from '../move/type-tag.ts';
import { partedChanges } from '../pipeline/bookkeeping.ts';
import { type CoinMove, CoinMoves, coinMoveLines, isAccountStore } from '../pipeline/coin-moves.ts';
import type { Commit } from '../pipeline/commit.ts';
import { StateDiff } from '../query/diff.ts';

/** The last transactions are shown, at most this many. */
const TOLD_MAX = 20;

/** The most events of one transaction that are shown. */
const EVENTS_TOLD_MAX = 10;

/** The most changes of the state that are shown, and that are searched for the ones to show. */
const CHANGES_TOLD_MAX = 50;
const CHANGES_COMPARED_MAX = 1_000;

const CLOSED =
  'The chain is closed, so its events, its calls and the differences are not known: call explain before close.';

/** Lines about how balances differ, and the changes of the state that these lines stand for. */
interface CoinDifferences {
  readonly changes: ReadonlySet<ObjectDifference>;
  readonly lines: readonly string[];
}

interface HeldCoin {
  readonly owner: string;
  readonly coin: StructTag | undefined;
}

export class Journal {
  readonly #engine: Engine;
  /** The order of the last transaction before the test. */
  readonly #begin: bigint;
  readonly #last: Commit[] = [];
  #count = 0;
  readonly #stop: () => void;

  /** Begins with the next transaction. */
  constructor(engine: Engine) {
    this.#engine = engine;
    this.#begin = engine.head.order;
    this.#stop = engine.inside.core.feed.listen((message) => {
      if (message.kind !== 'commits') return;
      this.#count += message.commits.length;
      this.#last.push(...message.commits);
      this.#last.splice(0, this.#last.length - TOLD_MAX);
    });
  }

  /**
   * The transactions, one per line, with what they printed and emitted, the meaning of an abort code and the calls that led
   * to a failure; then how the state differs from when the test began. Empty if there were no transactions.
   */
  text(): string {
    if (this.#count === 0) return '';
    const left = this.#count - this.#last.length;
    const head = left === 0 ? 'Transactions of this test:' : `The last ${TOLD_MAX} of ${this.#count} transactions:`;
    const told = this.#last.flatMap((commit) =>
      this.#isKept(commit) ? this.#told(commit) : [`${line(commit)} (taken back)`],
    );
    const isOpen = unlessRefused(() => {
      this.#engine.inside.core.assertOpen();
      return true;
    });
    const rest = isOpen === true ? this.#changed() : [CLOSED];
    return shortText([head, ...told, ...rest].join('\n'));
  }

  /** Whether the transaction is still on the chain: after a revert, another may have its order. True if the chain is closed. */
  #isKept({ record: { order, executionInfo } }: Commit): boolean {
    const now = unlessRefused(() => ({ info: this.#engine.transactions.get(order)?.executionInfo }));
    if (now === undefined) return true;
    const { txHash, stateRoot } = executionInfo;
    return now.info?.txHash === toHexPrefixed(txHash) && now.info.stateRoot === toHexPrefixed(stateRoot);
  }

  /**
   * The difference between the states; if all transactions are known, without the changes that the framework made around the
   * actions. Empty if the first state is gone, because of a revert or a bounded history.
   */
  #changed(): string[] {
    const limit = CHANGES_COMPARED_MAX;
    const diff = unlessRefused(() => this.#engine.at(this.#begin).diff(this.#engine, { limit }));
    if (diff === undefined) return [];
    const isKnown = this.#count === this.#last.length;
    const own = new Set(isKnown ? this.#last.flatMap(ownIds) : diff.changes.map(({ id }) => id));
    const coins = this.#coinDifferences(diff, isKnown ? new CoinMoves(this.#last) : undefined);
    const others = diff.changes.filter(({ inside }) => !coins.changes.has(inside));
    const changes = others.filter(({ id }) => own.has(id));
    const around = others.length - changes.length;
    const hasMore = diff.hasMore || changes.length > CHANGES_TOLD_MAX;
    const shown = new StateDiff(diff.before, diff.after, changes.slice(0, CHANGES_TOLD_MAX), hasMore);
    const rest = around === 0 ? [] : [`and ${around} changes by the framework, for fees, numbers and the clock`];
    const [head, ...lines] = String(shown).split('\n');
    const about = coins.lines.length === 0 ? head! : head!.replace(/: no difference$/, ': balances');
    return ['What differs since the test began:', ...[about, ...coins.lines, ...lines, ...rest].map(indented)];
  }

  /**
   * How the balances of accounts differ, and the changes of the coin stores that make them up.
   * @param moves those of all transactions; undefined if not all are known, so that gas cannot be told from the rest
   */
  #coinDifferences(diff: StateDiff, moves: CoinMoves | undefined): CoinDifferences {
    const changes = new Set<ObjectDifference>();
    const differences = new Map<string, CoinMove>();
    const before = this.#engine.at(this.#begin);
    for (const { inside } of diff.changes) {
      const held = this.#heldCoin(inside);
      if (held === undefined) continue;
      changes.add(inside);
      if (held.coin === undefined) continue;
      const { owner, coin } = held;
      const [from, to] = [before, this.#engine].map((chain) => chain.balances.amount(owner, coin)) as [bigint, bigint];
      const gas = moves?.gas(owner, coin) ?? 0n;
      differences.set(`${owner} ${structName(coin)}`, { owner, coin, change: to - from + gas, gas });
    }
    const infoOf = (coin: StructTag): CoinInfo | undefined => {
      const object = this.#engine.inside.state.object(coinInfoId(coin));
      return object && decode(coinInfo, object.value);
    };
    return { changes, lines: coinMoveLines([...differences.values()], infoOf) };
  }

  /** The owner and the coin of the balance that an object or a field is part of; no coin for an object whose fields are coins. */
  #heldCoin({ before, after }: ObjectDifference): HeldCoin | undefined {
    const object = (after ?? before)!;
    const { meta } = object;
    const parent = isDynamicField(meta) ? parentObjectId(meta.id) : undefined;
    const store = parent === undefined ? meta : this.#engine.inside.state.object(parent)?.meta;
    if (store === undefined || !isAccountStore(store)) return undefined;
    const owner = formatAddress(store.owner);
    if (parent !== undefined) {
      return { owner, coin: parseStructTag(dynamicFieldValue(object, string, coinStoreField).coinType) };
    }
    const [coin] = meta.objectType.typeArguments;
    return { owner, coin: coin?.kind === 'struct' ? coin.struct : undefined };
  }

  /** Includes what a traced run adds: nothing if the transaction ran no Move code or cannot be run again. */
  #told(commit: Commit): string[] {
    const trace = unlessRefused(() => this.#engine.trace(commit.record.order));
    if (trace === undefined) return [line(commit)];
    const { failure } = trace;
    const prints = trace.prints.map((value) => `print ${value}`);
    const { from = 0, to = 0 } = failure === undefined ? (commit.ofAction ?? {}) : {};
    const emitted = trace.events.slice(from, Math.min(to, from + EVENTS_TOLD_MAX));
    const events = emitted.map(({ data }) => `event ${data.type} ${data}`);
    if (to - from > EVENTS_TOLD_MAX) events.push(`and ${to - from - EVENTS_TOLD_MAX} more events`);
    const [ended, ...why] = failure === undefined ? [] : failureLines(failure);
    return [line(commit, ended), ...[...prints, ...events, ...why].map((text) => `      ${shortLine(text.trim())}`)];
  }

  end(): void {
    this.#stop();
  }
}

const ownIds = (commit: Commit): string[] => partedChanges(commit).own.map(({ meta }) => formatObjectId(meta.id));

const indented = (text: string): string => `  ${text}`;

function line({ record: { order, transaction, executionInfo } }: Commit, ended?: string): string {
  const { status, gasUsed } = executionInfo;
  return `  ${order}  ${transactionTitle(transaction.data)}: ${ended ?? statusText(status)}, gas ${gasUsed}`;
}

function statusText(kept: KeptStatus): string {
  const status = statusValue(kept);
  switch (status.kind) {
    case 'move-abort':
      return `aborted with code ${status.code}${placeText(status.location)}`;
    case 'execution-failure':
      return `failed at offset ${status.codeOffset} of function ${status.function}${placeText(status.location)}`;
    default:
      return status.kind.replaceAll('-', ' ');
  }
}

function placeText(location: string): string {
  return location === 'script' ? ' in the script' : ` in ${location}`;
}
