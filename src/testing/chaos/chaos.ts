/**
 * Chaos for testing applications: a fork of a chain whose store is slow or fails, whose clock jumps, whose blocks are
 * replaced while lists are read, and whose connections are dropped or delayed. A seed decides all of it, so failures
 * can be reproduced.
 *
 * It is a separate entry point, not a method of the engine: programs that do not import it contain none of it, and the
 * engine does not know about it. It acts on a fork, so the chain a test has prepared stays as is.
 * @module
 */
import { assertFits, assertMethods, assertOptions, type Expectation, wholeNumber } from '../../base/argument.ts';
import { REORGANISATION_DEPTH_MAX } from '../../base/config.ts';
import { EngineError } from '../../base/error.ts';
import { parseBitcoinAddress } from '../../bitcoin/address.ts';
import { clockOf, type Engine, feedOf, forkOn } from '../../engine/engine.ts';
import { DEV_ACCOUNTS } from '../../execution/framework/accounts.ts';
import type { Store } from '../../store/store.ts';
import { type ChaosProxy, chaosProxy, type SocketFaults } from './chaos-proxy.ts';
import { ChaosStore, type StoreFaults } from './chaos-store.ts';
import { type Chance, type ChaosEvent, type Draw, drawMs, FaultPlan } from './fault-plan.ts';

/** Replacing blocks while lists are read. */
export interface Reorganisations {
  /** Replaces blocks after every so many reads of index rows; a page takes one or a few. */
  readonly every: number;
  /** Maximum number of blocks to replace. Default: all unconfirmed ones. */
  readonly depthMax?: number | undefined;
}

/** Which faults to inject. Those left out do not happen. */
export interface ChaosOptions {
  /**
   * From 0 to 2^32 - 1: the same seed, with the same options and requests in the same order, causes the same faults.
   */
  readonly seed: number;
  readonly store?: StoreFaults | undefined;
  /** Clock jumps after commits, forward and back. The chain's own time never goes back. */
  readonly clock?: Chance | undefined;
  /** For `Chaos.proxy`. */
  readonly sockets?: SocketFaults | undefined;
  readonly reorganise?: Reorganisations | undefined;
}

const A_CHANCE: Expectation = [
  'a number from 0 to 1',
  (value) => typeof value === 'number' && value >= 0 && value <= 1,
];
const A_NUMBER = wholeNumber(1);
const AN_OBJECT: Expectation = ['an object', (value) => typeof value === 'object' && value !== null];
const MILLISECONDS = wholeNumber(1, 2 ** 31 - 1);

/**
 * A fork of `engine` with faults. It writes asynchronously, like a durable chain, and cannot go back to snapshots.
 *
 * ```ts
 * await using wild = chaos(engine, { seed: 7, store: { slow: { chance: 0.5, msMax: 20 } } });
 * await myApplication(wild.engine);
 * console.log(wild.events);
 * ```
 * @throws {EngineError} `invalid-argument` naming what does not fit
 */
export function chaos(engine: Engine, options: ChaosOptions): Chaos {
  assertMethods(engine, 'engine', 'an engine', ['fork', 'execute']);
  assertChaosOptions(options);
  return new Chaos(engine, options);
}

function assertChaosOptions(options: ChaosOptions): void {
  const members = { store: AN_OBJECT, clock: AN_OBJECT, sockets: AN_OBJECT, reorganise: AN_OBJECT };
  assertOptions(options, { seed: wholeNumber(0, 2 ** 32 - 1), ...members });
  assertFits(options.seed, 'seed', wholeNumber(0, 2 ** 32 - 1));
  const { store = {}, clock, sockets = {}, reorganise } = options;
  assertOptions(store, { slow: AN_OBJECT, failAt: A_NUMBER }, 'store');
  assertOptions(sockets, { drop: A_CHANCE, slow: AN_OBJECT }, 'sockets');
  const chances = Object.entries({ 'store.slow': store.slow, clock, 'sockets.slow': sockets.slow });
  for (const [name, given] of chances) if (given !== undefined) assertChance(given, name);
  if (reorganise === undefined) return;
  assertOptions(reorganise, { every: A_NUMBER, depthMax: wholeNumber(1, REORGANISATION_DEPTH_MAX) }, 'reorganise');
  assertFits(reorganise.every, 'reorganise.every', A_NUMBER);
}

function assertChance(given: Chance, name: string): void {
  assertOptions(given, { chance: A_CHANCE, msMax: MILLISECONDS }, name);
  assertFits(given.chance, `${name}.chance`, A_CHANCE);
  assertFits(given.msMax, `${name}.msMax`, MILLISECONDS);
}

function isUrlWithPort(url: unknown): boolean {
  if (typeof url !== 'string' || !URL.canParse(url)) return false;
  const { protocol, port } = new URL(url);
  // The port of http is left out of a parsed URL.
  return port !== '' || protocol === 'http:';
}

function closed(): EngineError {
  return new EngineError('closed', 'the chaos is closed: ask for a proxy before');
}

/** Kinds of choices; those of stores and sockets are in their own files. */
const CLOCK = 2;
const REORGANISE = 3;

/** The time of an engine from here on, whatever becomes of the engine: a fork goes on when the chain below it is closed. */
function timeOf(engine: Engine): () => bigint {
  const clock = clockOf(engine);
  const { now } = engine.dev.time;
  if (clock === undefined) return () => now;
  const { offset } = clock;
  return () => clock.read() - clock.offset + offset;
}

/** A chain with faults, the faults so far, and access to it over faulty sockets. */
export class Chaos {
  /** The fork on which the faults happen. */
  readonly engine: Engine;
  readonly #plan: FaultPlan;
  readonly #options: ChaosOptions;
  readonly #proxies: ChaosProxy[] = [];
  readonly #depths: Draw;
  /** Milliseconds by which the clock has jumped. */
  #jumped = 0n;
  #lists = 0;
  #isReorganising = false;
  /** Ends with the last reorganisation that was asked for: two at once would each replace what the other built. */
  #reorganised: Promise<unknown> = Promise.resolve();
  #isClosed = false;

  /** Use `chaos`. @internal */
  constructor(engine: Engine, options: ChaosOptions) {
    this.#options = options;
    const plan = new FaultPlan(options.seed);
    this.#plan = plan;
    this.#depths = plan.draws(REORGANISE);
    const { store = {}, clock } = options;
    const wrap = (inner: Store): ChaosStore => new ChaosStore(inner, store, plan, () => this.#onList());
    const time = clock && timeOf(engine);
    const read = (): bigint => {
      const now = time!() + this.#jumped;
      return now < 0n ? 0n : now;
    };
    this.engine = forkOn(engine, wrap, time === undefined ? {} : { clock: read });
    if (clock !== undefined) this.#jump(clock);
  }

  /** The faults so far, in order. */
  get events(): readonly ChaosEvent[] {
    return this.#plan.events;
  }

  /**
   * Another address for a listener, such as one from `serveHttp` of `movelet/transport`, on which connections are
   * dropped and delayed according to the option `sockets`. It closes with the chaos.
   * @param url `http://HOST:PORT`
   * @throws {EngineError} `invalid-argument`, `transport-failed`, `closed`
   */
  async proxy(url: string): Promise<ChaosProxy> {
    assertFits(url, 'url', ['http://HOST:PORT', isUrlWithPort]);
    if (this.#isClosed) throw closed();
    const proxy = await chaosProxy(new URL(url), this.#options.sockets ?? {}, this.#plan);
    if (this.#isClosed) {
      await proxy.close();
      throw closed();
    }
    this.#proxies.push(proxy);
    return proxy;
  }

  /**
   * Replaces the last unconfirmed blocks with a branch that is one block longer.
   * @param depth how many; by default decided by the seed
   * @throws {EngineError} `not-supported` on a chain with no unconfirmed block: it needs blocks, and a
   * `reorganisationDepth`; `invalid-argument` for more blocks than are unconfirmed
   */
  async reorganise(depth?: number): Promise<void> {
    if (depth !== undefined) assertFits(depth, 'depth', wholeNumber(1, REORGANISATION_DEPTH_MAX));
    await this.#inTurn(() => this.#reorganiseAsTold(depth));
  }

  async #reorganiseAsTold(depth: number | undefined): Promise<void> {
    const depthMax = this.#unconfirmed();
    if (depthMax === 0) {
      throw new EngineError(
        'not-supported',
        'no block waits to be confirmed: open the chain with a reorganisationDepth and mine some blocks',
      );
    }
    if (depth !== undefined) assertFits(depth, 'depth', wholeNumber(1, depthMax));
    await this.#reorganise(depth ?? this.#drawDepth(depthMax));
  }

  /** Closes the fork and the proxies in front of it. */
  async close(): Promise<void> {
    this.#isClosed = true;
    for (const proxy of this.#proxies.splice(0)) await proxy.close();
    await this.engine.close();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.close();
  }

  #jump(clock: Chance): void {
    const draw = this.#plan.draws(CLOCK);
    feedOf(this.engine).listen((message) => {
      for (const { head } of message.kind === 'commits' ? message.commits : []) {
        const sign = draw() < 0.5 ? -1 : 1;
        const ms = drawMs(draw, clock);
        if (ms === undefined) continue;
        this.#jumped += BigInt(sign * ms);
        this.#plan.note({ kind: 'clock-jumped', order: head.order, ms: sign * ms });
      }
    });
  }

  async #onList(): Promise<void> {
    const { reorganise } = this.#options;
    // Reads made while building the new branch do not count.
    if (reorganise === undefined || this.#isReorganising) return;
    if (++this.#lists % reorganise.every !== 0) return;
    await this.#inTurn(async () => {
      const depthMax = Math.min(this.#unconfirmed(), reorganise.depthMax ?? Number.POSITIVE_INFINITY);
      if (depthMax > 0) await this.#reorganise(this.#drawDepth(depthMax));
    });
  }

  #inTurn(reorganise: () => Promise<void>): Promise<void> {
    const done = this.#reorganised.then(reorganise);
    this.#reorganised = done.catch(() => undefined);
    return done;
  }

  #drawDepth(depthMax: number): number {
    return 1 + Math.floor(this.#depths() * depthMax);
  }

  /** Blocks that may still be replaced: those above the last confirmed one. */
  #unconfirmed(): number {
    const { confirmed, pending } = this.engine.bitcoin.status();
    if (pending === undefined || confirmed === undefined) return 0;
    return Number(pending.blockHeight - confirmed.blockHeight);
  }

  async #reorganise(depth: number): Promise<void> {
    this.#isReorganising = true;
    try {
      const { bitcoin } = this.engine;
      const to = parseBitcoinAddress(DEV_ACCOUNTS.at(-1)!.mainnetAddress);
      let { hash, height } = await bitcoin.mine({ to, on: bitcoin.status().pending!.blockHeight - BigInt(depth) });
      for (let block = 0; block < depth; block++) ({ hash, height } = await bitcoin.mine({ to, on: hash }));
      this.#plan.note({ kind: 'reorganised', depth, height });
    } finally {
      this.#isReorganising = false;
    }
  }
}
