import { EngineError } from '../base/error.ts';
import type { KeptStatus } from '../chain/transaction/execution-info.ts';
import type { StatusOf } from '../chain/value/status.ts';
import type { Engine } from '../engine/engine.ts';
import { failureLines } from '../execution/trace/explain-failure.ts';
import { shortText } from '../execution/trace/short-text.ts';
import type { ActionValue, TransactionValue } from '../query/values.ts';

/** The most transactions that are shown; they are the last ones. */
const TOLD_MAX = 20;

/** The most changes of the state that are shown: a transfer between new accounts makes ten. */
const CHANGES_TOLD_MAX = 50;

export class Journal {
  readonly #engine: Engine;
  /** The order after which the test began. */
  readonly #begin: bigint;
  readonly #last: TransactionValue[] = [];
  #count = 0;
  readonly #stop: () => void;

  /** Begins with the next transaction. */
  constructor(engine: Engine) {
    this.#engine = engine;
    this.#begin = engine.head.order;
    this.#stop = engine.on('transaction', (transaction) => {
      this.#count++;
      this.#last.push(transaction);
      if (this.#last.length > TOLD_MAX) this.#last.shift();
    });
  }

  /**
   * The transactions, one per line, with what they printed, what the code of an abort means and the calls that led to a
   * failure, and how the state differs from when the test began; empty if there were no transactions.
   */
  text(): string {
    if (this.#count === 0) return '';
    const left = this.#count - this.#last.length;
    const head = left === 0 ? 'Transactions of this test:' : `The last ${TOLD_MAX} of ${this.#count} transactions:`;
    const told = this.#last.flatMap((transaction) =>
      this.#isKept(transaction) ? this.#told(transaction) : [`${line(transaction)} (taken back)`],
    );
    return shortText([head, ...told, ...this.#changed()].join('\n'));
  }

  /** Whether it is still on the chain: after a revert, another one may have its order. A closed chain cannot tell. */
  #isKept({ order, executionInfo }: TransactionValue): boolean {
    const now = unlessRefused(() => ({ info: this.#engine.transactions.get(order)?.executionInfo }));
    if (now === undefined) return true;
    const { info } = now;
    return info?.txHash === executionInfo.txHash && info.stateRoot === executionInfo.stateRoot;
  }

  /** The difference of the states; nothing if the first one is gone, after a revert or with a bounded history. */
  #changed(): string[] {
    const diff = unlessRefused(() => this.#engine.at(this.#begin).diff(this.#engine, { limit: CHANGES_TOLD_MAX }));
    return diff === undefined ? [] : ['What differs since the test began:', ...String(diff).split('\n').map(indented)];
  }

  /** With what a run under trace adds; that is nothing if it ran no Move code or cannot be run again. */
  #told(transaction: TransactionValue): string[] {
    const trace = unlessRefused(() => this.#engine.trace(transaction.order));
    if (trace === undefined) return [line(transaction)];
    const { failure } = trace;
    const prints = trace.prints.map((value) => `print ${value}`);
    const [ended, ...why] = failure === undefined ? [] : failureLines(failure);
    return [line(transaction, ended), ...[...prints, ...why].map((text) => `      ${text.trim()}`)];
  }

  end(): void {
    this.#stop();
  }
}

const indented = (text: string): string => `  ${text}`;

/** Undefined if the chain cannot tell. */
function unlessRefused<T>(tell: () => T): T | undefined {
  try {
    return tell();
  } catch (error) {
    if (error instanceof EngineError) return undefined;
    throw error;
  }
}

function line(
  { order, transaction: { data }, executionInfo: { status, gasUsed } }: TransactionValue,
  ended: string = statusText(status),
): string {
  const what =
    data.kind === 'l2-transaction'
      ? `${actionText(data.data.action)} by ${data.data.sender}`
      : `${data.kind === 'l1-block' ? 'Bitcoin block' : 'Bitcoin transaction'} ${data.kind === 'l1-block' ? data.blockHash : data.txid}`;
  return `  ${order}  ${what}: ${ended}, gas ${gasUsed}`;
}

function actionText(action: ActionValue): string {
  switch (action.kind) {
    case 'function':
      return action.function;
    case 'script':
      return 'script';
    case 'modules':
      return `${action.modules.length} modules`;
  }
}

function statusText(status: StatusOf<KeptStatus>): string {
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
