/**
 * Invariants: what holds after any sequence of calls. Random sequences run on forks of a chain; if one breaks the
 * invariant, it is shortened as far as possible, reported, and recorded for `replay`.
 * @module
 */
import fc, { type Arbitrary } from 'fast-check';
import {
  A_FUNCTION,
  argumentError,
  assertFits,
  assertMethods,
  assertObject,
  assertOptions,
  eachOf,
  wholeNumber,
} from '../base/argument.ts';
import { toHexPrefixed } from '../base/bytes/bytes.ts';
import { reportedAtCaller } from '../base/caller.ts';
import { EngineError, invalidArgument, messageOf } from '../base/error.ts';
import { type AddressInput, toAddress } from '../bitcoin/address.ts';
import type { Engine } from '../engine/engine.ts';
import { record } from '../engine/recordings.ts';
import { shortText } from '../execution/trace/short-text.ts';
import { formatAddress, parseAddress } from '../move/address.ts';
import type { Receipt } from '../pipeline/receipt.ts';
import type { ViewArgument } from '../query/view-argument.ts';
import { type Callable, Choices, callableFunction, callableModule, type Draw } from './random-call.ts';
import { replayFolder } from './replay-file.ts';

/** The number of random sequences that are tried. */
const RUNS_DEFAULT = 256;

/** The most calls in a sequence. */
const CALLS_DEFAULT = 20;
const CALLS_MAX = 1_000;

/** How many of the funded accounts make the calls. */
const SENDERS_DEFAULT = 3;

/**
 * Milliseconds after which no further sequence is begun, and none is shortened further: less than test runners give a test
 * by default.
 */
const TIME_MS_DEFAULT = 4_000;

/** A call whose arguments are random, except those that are given. */
export interface RandomCall {
  /** `address::module::function`. */
  readonly function: string;
  readonly typeArguments?: readonly string[] | undefined;
  /** One for each parameter except signers; undefined stands for a random value. Default: all are random. */
  readonly arguments?: readonly (ViewArgument | undefined)[] | undefined;
  /** Default: those of the invariant. */
  readonly senders?: readonly AddressInput[] | undefined;
}

/** Anything else that may happen between two calls, such as time passing or a block being mined. */
export interface CustomStep {
  readonly name: string;
  run(chain: Engine): unknown;
}

/** What to try, and what has to hold. */
export interface InvariantOptions {
  /**
   * What may happen, in any order: a function, a module (`address::module`) for all of its entry functions without type
   * parameters, a call that fixes arguments or senders, or a step of your own.
   */
  readonly calls: readonly (string | RandomCall | CustomStep)[];
  /**
   * Called with the chain before the first call and after each call, then with its receipt. The invariant is broken if this
   * throws or returns false. A call that aborts does not break it.
   */
  readonly holds: (chain: Engine, receipt: Receipt | undefined) => unknown;
  /** The senders of the calls. Default: the first three funded accounts. */
  readonly senders?: readonly AddressInput[] | undefined;
  /** The number of sequences. Default: 256. */
  readonly runs?: number | undefined;
  /** The most calls in a sequence. Default: 20. */
  readonly callsMax?: number | undefined;
  /** The seed of the random numbers: the same seed gives the same sequences. Default: 1. */
  readonly seed?: number | undefined;
  /** Milliseconds after which it stops, with fewer sequences, or with one that might be shortened further. Default: 4,000. */
  readonly timeMs?: number | undefined;
}

/** What was tried without breaking the invariant. */
export interface InvariantReport {
  readonly runs: number;
  /** How often each function was called and executed: calls of a function that always aborts test nothing. */
  readonly calls: Readonly<Record<string, { readonly called: number; readonly executed: number }>>;
}

/** The invariant does not hold. */
export class InvariantBroken extends EngineError {
  /** The shortest sequence that was found, a line for each call. */
  readonly calls: readonly string[];
  /** The run as a file: `replay` of movelet and `movelet replay` lead to the state in which the invariant is broken. */
  readonly recording: Uint8Array;

  constructor(message: string, calls: readonly string[], recording: Uint8Array, seed: number, cause: unknown) {
    super('invariant-broken', message, { details: { seed, calls: [...calls] }, cause });
    this.calls = calls;
    this.recording = recording;
  }
}

/** One step of a sequence. */
interface Move {
  readonly name: string;
  /** Resolves to undefined if the step could not be made. */
  play(chain: Engine): Promise<Played | undefined>;
}

interface Played {
  /** What was done and how it ended, for a person to read. */
  readonly text: string;
  /** Undefined unless the step is a call. */
  readonly receipt: Receipt | undefined;
  /** The same step with the values that were chosen. */
  readonly again: Move;
}

/**
 * Looks for a sequence of calls after which something that should always hold does not.
 *
 * ```ts
 * await invariant(engine, {
 *   calls: [`${alice}::vault`],
 *   holds: (chain) => {
 *     const [total, sum] = chain.view({ function: `${alice}::vault::totals` });
 *     expect(total).toBe(sum);
 *   },
 * });
 * ```
 * @returns what was tried
 * @throws {InvariantBroken} with the shortest sequence that was found and its recorded run, which is also written to the
 *   folder that MOVELET_REPLAYS names. {EngineError} `not-found` for a function that cannot be called; `invalid-argument`
 *   for a parameter whose values only code can make, unless its value is given
 */
export const invariant: (engine: Engine, options: InvariantOptions) => Promise<InvariantReport> =
  reportedAtCaller(checkInvariant);

async function checkInvariant(engine: Engine, options: InvariantOptions): Promise<InvariantReport> {
  assertMethods(engine, 'engine', 'an engine', ['fork']);
  assertOptions(options, EXPECTED);
  assertFits(options.calls, 'calls', EXPECTED.calls);
  assertFits(options.holds, 'holds', EXPECTED.holds);
  const { runs = RUNS_DEFAULT, callsMax = CALLS_DEFAULT, seed = 1, timeMs = TIME_MS_DEFAULT } = options;
  const trial = new Trial(engine, options);
  const moves = fc.array(await trial.moves(options.calls), { minLength: 1, maxLength: callsMax, size: 'max' });
  await trial.run([]);
  const property = fc.asyncProperty(moves, (sequence) => trial.begin(sequence));
  const found = await fc.check(property, { seed, numRuns: runs, interruptAfterTimeLimit: timeMs });
  await trial.ended();
  if (!found.failed || found.counterexample === null) return { runs: found.numRuns, calls: trial.counts() };
  throw await trial.broken(await trial.shortest(found.counterexample[0]), seed, found.interrupted);
}

const EXPECTED = {
  calls: ['functions, modules, calls and steps', (given: unknown) => Array.isArray(given) && given.length > 0],
  holds: A_FUNCTION,
  senders: ['addresses', (given: unknown) => Array.isArray(given) && given.length > 0],
  runs: wholeNumber(1),
  callsMax: wholeNumber(1, CALLS_MAX),
  seed: wholeNumber(-(2 ** 31), 2 ** 32 - 1),
  timeMs: wholeNumber(1),
} as const;

class Trial {
  readonly #engine: Engine;
  readonly #holds: InvariantOptions['holds'];
  readonly #senders: readonly string[];
  readonly #choices = new Choices();
  #last: Promise<void> = Promise.resolve();
  readonly #counts = new Map<string, { called: number; executed: number }>();

  constructor(engine: Engine, { holds, senders = engine.accounts.slice(0, SENDERS_DEFAULT) }: InvariantOptions) {
    this.#engine = engine;
    this.#holds = holds;
    this.#senders = addressesOf(senders);
  }

  counts(): InvariantReport['calls'] {
    return Object.fromEntries(this.#counts);
  }

  /** The steps of which sequences consist. */
  async moves(calls: InvariantOptions['calls']): Promise<Arbitrary<Move>> {
    const choices: Arbitrary<Move>[] = [];
    for (const [index, given] of calls.entries()) {
      const name = `calls[${index}]`;
      if (typeof given === 'object' && given !== null && 'run' in given) choices.push(fc.constant(stepOf(given, name)));
      else for (const call of await this.#callsOf(given, name)) choices.push(this.#call(call));
    }
    return fc.oneof(...choices);
  }

  async #callsOf(given: string | RandomCall, name: string): Promise<readonly PreparedCall[]> {
    if (typeof given === 'string' && given.split('::').length === 2) {
      const [address = '', module = ''] = given.split('::');
      const found = await callableModule(this.#engine, parseAddress(address), module, this.#senders, this.#choices);
      const entries = found.filter(({ isEntry, isGeneric }) => isEntry && !isGeneric);
      if (entries.length > 0) return entries.map((callable) => ({ callable, call: { function: callable.name } }));
      throw argumentError(name, 'a module with entry functions that take no types', given);
    }
    const call = typeof given === 'string' ? { function: given } : given;
    assertObject(call, name, 'a function, a module, a call { function, arguments } or a step { name, run }');
    const callable = await callableFunction(
      this.#engine,
      call.function,
      `${name}.function`,
      this.#senders,
      this.#choices,
    );
    return [{ callable, call }];
  }

  #call({ callable, call }: PreparedCall): Arbitrary<Move> {
    const { typeArguments = [], arguments: given, senders } = call;
    const types = callable.parameters(typeArguments);
    if (given !== undefined && given.length !== types.length) {
      const what = `${types.length} arguments of ${callable.name}, undefined for those that are random`;
      throw argumentError('arguments', what, given);
    }
    const draws = types.map((_, index): Arbitrary<Draw> => {
      const value = given?.[index];
      return value === undefined ? callable.arbitrary(typeArguments, index) : fc.constant(() => value);
    });
    const from = senders === undefined ? this.#senders : addressesOf(senders);
    const made = (sender: string, values: readonly ViewArgument[]): Move => ({
      name: callable.name,
      play: async (chain) => {
        const call = { function: callable.name, typeArguments, arguments: values };
        const receipt = await unlessRefused(chain.executeAs(sender, call));
        const text = receipt && callText(sender, callable.name, values, receipt);
        return text === undefined ? undefined : { receipt, text, again: made(sender, values) };
      },
    });
    return fc.tuple(fc.constantFrom(...from), ...draws).map(([sender, ...drawn]) => ({
      name: callable.name,
      play: async (chain) => {
        await this.#choices.refresh(chain);
        const values = drawn.map((draw) => draw(this.#choices));
        if (values.includes(undefined)) return undefined;
        this.#choices.give(values);
        return made(sender, values).play(chain);
      },
    }));
  }

  /** Like `run`, for fast-check, which goes on without waiting for it when time runs out. */
  begin(sequence: readonly Move[]): Promise<void> {
    this.#last = this.run(sequence);
    return this.#last;
  }

  /** Resolves when the sequence that was begun last has ended. */
  async ended(): Promise<void> {
    await this.#last.catch(() => {});
  }

  /**
   * Runs a sequence on a fork.
   * @param told receives each step that was made
   * @param recorded receives the run as a file
   * @throws what `holds` throws
   */
  async run(sequence: readonly Move[], told: Played[] = [], recorded?: (run: Uint8Array) => void): Promise<void> {
    const chain = this.#engine.fork();
    const recording = recorded === undefined ? undefined : record(chain);
    this.#choices.begin();
    try {
      await this.#judge(chain, undefined);
      for (const move of sequence) {
        const played = await move.play(chain);
        if (played === undefined) continue;
        told.push(played);
        this.#count(move.name, played.receipt);
        await this.#judge(chain, played.receipt);
      }
    } finally {
      if (recording !== undefined) recorded?.(await recording.bytes());
      await chain.close();
    }
  }

  async #judge(chain: Engine, receipt: Receipt | undefined): Promise<void> {
    if ((await this.#holds(chain, receipt)) === false) throw new Error('holds returned false');
  }

  #count(name: string, receipt: Receipt | undefined): void {
    const count = this.#counts.get(name) ?? { called: 0, executed: 0 };
    count.called++;
    if (receipt === undefined || receipt.status.kind === 'executed') count.executed++;
    this.#counts.set(name, count);
  }

  /** The steps that were made, if the sequence breaks the invariant; otherwise undefined. */
  async #breaking(sequence: readonly Move[]): Promise<readonly Played[] | undefined> {
    const told: Played[] = [];
    return this.run(sequence, told).then(
      () => undefined,
      () => told,
    );
  }

  /** Steps that break the invariant and none of which can be left out, with the values that were chosen. */
  async shortest(sequence: readonly Move[]): Promise<readonly Move[]> {
    const played = await this.#breaking(sequence);
    if (played === undefined) return sequence;
    const moves = played.map(({ again }) => again);
    for (let index = 0; index < moves.length; index++) {
      const without = moves.filter((_, at) => at !== index);
      if ((await this.#breaking(without)) !== undefined) return this.shortest(without);
    }
    return moves;
  }

  /** The error for a sequence that breaks the invariant; the sequence is run once more and recorded for it. */
  async broken(sequence: readonly Move[], seed: number, isCut: boolean): Promise<EngineError> {
    const told: Played[] = [];
    let run: Uint8Array = new Uint8Array(0);
    try {
      await this.run(sequence, told, (bytes) => {
        run = bytes;
      });
    } catch (cause) {
      const calls = told.map(({ text }) => text);
      const lines = calls.map((text, index) => `  ${index + 1}. ${text}`);
      const file = await replayFolder(undefined)?.leave(`invariant ${seed} ${calls.join(' ')}`, run);
      const number = `${calls.length} ${calls.length === 1 ? 'call' : 'calls'}`;
      const head = `the invariant is broken after ${number} (seed ${seed}): ${messageOf(cause)}`;
      const cut = isCut ? ['time ran out while smaller values were looked for: raise timeMs'] : [];
      const message = [head, ...lines, ...cut, ...(file === undefined ? [] : [file])].join('\n');
      return new InvariantBroken(message, calls, run, seed, cause);
    }
    const message = `holds: expected the same answer for the same chain, but the sequence that broke it with seed ${seed} no longer does`;
    return invalidArgument(message);
  }
}

function addressesOf(senders: readonly AddressInput[]): readonly string[] {
  return eachOf(senders, 'senders', (sender, name) => formatAddress(toAddress(sender, name)));
}

interface PreparedCall {
  readonly callable: Callable;
  readonly call: RandomCall;
}

function stepOf({ name, run }: CustomStep, path: string): Move {
  if (typeof name !== 'string' || typeof run !== 'function')
    throw argumentError(path, 'a step { name, run }', { name, run });
  const move: Move = {
    name,
    play: async (chain) => {
      await run(chain);
      return { text: name, receipt: undefined, again: move };
    },
  };
  return move;
}

/** Undefined for a transaction that the chain refuses, for example because its sender cannot pay: it changes nothing. */
async function unlessRefused(executed: Promise<Receipt>): Promise<Receipt | undefined> {
  try {
    return await executed;
  } catch (error) {
    if (error instanceof EngineError && error.code === 'transaction-rejected') return undefined;
    throw error;
  }
}

function callText(sender: string, name: string, values: readonly ViewArgument[], receipt: Receipt): string {
  const end = receipt.status.kind === 'executed' ? 'executed' : (receipt.failure?.message ?? receipt.status.kind);
  return shortText(`${sender}: ${name}(${values.map(valueText).join(', ')}), ${end}`);
}

function valueText(value: ViewArgument): string {
  if (value instanceof Uint8Array) return toHexPrefixed(value);
  if (Array.isArray(value)) return `[${value.map(valueText).join(', ')}]`;
  if (typeof value === 'string') return value.startsWith('0x') ? value : JSON.stringify(value);
  return typeof value === 'object' ? JSON.stringify(value) : String(value);
}
