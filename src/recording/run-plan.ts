/**
 * How a recorded run is played again: all of it, with each return, or only what led to where the chain is at the end.
 *
 * A chain in memory can go back, so it plays everything, and the roots of lost branches are compared too. A durable chain
 * never goes back: it is given the inputs of the branch that is wanted and no others.
 * @module
 */
import { EngineError } from '../error.ts';
import { decodeRunEntry, type RunFile } from './run-file.ts';

/** What is done one after the other: inputs played, the moment behind them kept for later, a return to one that was kept. */
export type RunLeg =
  | { readonly kind: 'play'; readonly entries: readonly Uint8Array[] }
  | { readonly kind: 'keep'; readonly moment: number }
  | { readonly kind: 'return'; readonly moment: number };

/** Where each moment comes from. Moment 0 is where the run begins. */
interface Moments {
  /** Of each moment, the one before it on its branch; of moment 0 itself. */
  readonly parents: readonly number[];
  readonly orders: readonly bigint[];
  /** Index of the entry that led to each moment first; -1 for moment 0. */
  readonly entries: readonly number[];
  /** Where the run ends. */
  readonly last: number;
}

/**
 * The legs that lead to the end of a run, or to the last moment at an order.
 * @param to the order; the end of the run where it is undefined
 * @param canReturn whether the chain that is played on can go back
 * @throws {EngineError} `invalid-argument` for an order that the chain does not have on the way to the end of the run;
 * `malformed-bytes`
 */
export function runPlan(run: RunFile, to: bigint | undefined, canReturn: boolean): RunLeg[] {
  const moments = momentsOf(run);
  const way = wayTo(moments, moments.last);
  const wanted = to === undefined ? moments.last : way.find((moment) => moments.orders[moment] === to);
  if (wanted === undefined) {
    const [first, last] = [moments.orders[0], moments.orders[moments.last]];
    throw new EngineError(
      'invalid-argument',
      `to: expected an order from ${first} to ${last}, as the run has them, got ${to}`,
    );
  }
  if (!canReturn) {
    const entries = wayTo(moments, wanted).slice(1);
    return [{ kind: 'play', entries: entries.map((moment) => run.entries[moments.entries[moment]!]!) }];
  }
  const isEnd = to === undefined;
  return wholePlan(run, isEnd ? run.entries.length : moments.entries[wanted]! + 1);
}

/** The moments from the first one to `moment`. */
function wayTo({ parents }: Moments, moment: number): number[] {
  const way = [moment];
  for (let at = moment; at !== 0; at = parents[at]!) way.push(parents[at]!);
  return way.reverse();
}

function momentsOf({ header, entries }: RunFile): Moments {
  const parents = [0];
  const orders = [header.order];
  const places = [-1];
  let at = 0;
  for (const [index, entry] of entries.entries()) {
    const returned = returnOf(entry);
    if (returned === undefined) {
      parents.push(at);
      orders.push(orders[at]! + 1n);
      places.push(index);
      at = parents.length - 1;
    } else if (returned < parents.length) {
      at = returned;
    } else {
      throw new EngineError(
        'malformed-bytes',
        `entry ${index} of the run returns to input ${returned}, which is not there yet`,
      );
    }
  }
  return { parents, orders, entries: places, last: at };
}

/** The moment that an entry returns to; undefined for an input, which is not decoded: a block is long. */
function returnOf(entry: Uint8Array): number | undefined {
  if (entry[0] !== RETURN_TAG) return undefined;
  const decoded = decodeRunEntry(entry);
  return decoded.kind === 'return' ? decoded.moment : undefined;
}

/** How the variant of returns begins in BCS. */
const RETURN_TAG = 1;

/** Everything up to entry `end`, exclusive. */
function wholePlan({ entries }: RunFile, end: number): RunLeg[] {
  const returns = entries.slice(0, end).map(returnOf);
  const targets = new Set(returns);
  const legs: RunLeg[] = targets.has(0) ? [{ kind: 'keep', moment: 0 }] : [];
  let played: Uint8Array[] = [];
  let moment = 0;
  const close = (): void => {
    if (played.length > 0) legs.push({ kind: 'play', entries: played });
    played = [];
  };
  for (const [index, returned] of returns.entries()) {
    if (returned !== undefined) {
      close();
      legs.push({ kind: 'return', moment: returned });
      continue;
    }
    played.push(entries[index]!);
    moment++;
    if (!targets.has(moment)) continue;
    close();
    legs.push({ kind: 'keep', moment });
  }
  close();
  return legs;
}
