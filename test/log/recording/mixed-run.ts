/**
 * A run of everything that changes a chain, mixed at random by a seed: transactions that succeed, abort, run out of gas
 * or are refused, calls that nobody signed, a contract, controls, the time, Bitcoin blocks with inscriptions and
 * reorganisations, and, if asked for, snapshots, returns to them and resets.
 */
import { readFileSync } from 'node:fs';
import { EngineError } from '../../../src/base/error.ts';
import { reveal } from '../../../src/bitcoin/index.ts';
import type { Engine, EngineOptions, Snapshot } from '../../../src/index.ts';
import { payment } from '../../payment.ts';
import { type RandomNumber, randomNumbers } from '../../random.ts';

/** No chain that anybody runs, on which a block counts once two more are on top of it. */
export const MIXED_OPTIONS: EngineOptions = { chainId: 78n, reorganisationDepth: 2 };

const counterCode = readFileSync(new URL('../../../examples/counter/counter.mv', import.meta.url));

/** A clock that gives a different time at every reading, the same times in every run. */
export function tickingClock(start = 1_700_000_000_000n): () => bigint {
  let now = start;
  return () => {
    now += 7n;
    return now;
  };
}

export interface MixedRunOptions {
  readonly seed: number;
  /** Orders to be given, at least. */
  readonly orders: number;
  /** Whether the chain goes back now and then. */
  readonly reverts?: boolean;
  /** Whether blocks are mined, which are others where the state has another root. Default: true. */
  readonly blocks?: boolean;
}

/** Plays a run on an engine of `MIXED_OPTIONS`. Gives how many inputs were given an order, on all branches. */
export async function playMixedRun(
  engine: Engine,
  { seed, orders, reverts = false, blocks = true }: MixedRunOptions,
): Promise<number> {
  let given = 0;
  const stop = engine.on('transaction', () => {
    given++;
  });
  const random = randomNumbers(seed);
  const player = new MixedPlayer(engine, random, blocks);
  await player.begin();
  while (given < orders) {
    await player.act();
    if (reverts && random(30) === 0) await player.goBack();
  }
  stop();
  return given;
}

class MixedPlayer {
  readonly #engine: Engine;
  readonly #random: RandomNumber;
  readonly #snapshots: Snapshot[] = [];
  readonly #counter: string;
  readonly #blocks: boolean;
  #number = 0;

  constructor(engine: Engine, random: RandomNumber, blocks: boolean) {
    this.#blocks = blocks;
    this.#engine = engine;
    this.#random = random;
    this.#counter = `${engine.accounts[0]!.address}::counter`;
  }

  /** The contract, and the first blocks. */
  async begin(): Promise<void> {
    const alice = this.#engine.accounts[0]!;
    await this.#engine.publish(alice.address, [counterCode]);
    for (let block = 0; this.#blocks && block < 4; block++) await this.#engine.dev.mine({ to: alice.bitcoin });
  }

  async act(): Promise<void> {
    const choice = this.#random(100);
    if (choice < 40) await this.#transfers();
    else if (choice < 65) await this.#calls();
    else if (choice < 75) await this.#refused();
    else if (choice < 92) await this.#control();
    else if (this.#blocks) await this.#block();
  }

  /** Takes a snapshot, goes to one, or back to the beginning and through the contract again. */
  async goBack(): Promise<void> {
    const choice = this.#random(10);
    const snapshot = this.#snapshots[this.#random(this.#snapshots.length + 1)];
    if (choice === 0) {
      await this.#engine.reset();
      await this.begin();
    } else if (choice < 5 || snapshot === undefined) {
      this.#snapshots.push(this.#engine.snapshot());
    } else {
      await this.#engine.revert(snapshot);
    }
  }

  #account() {
    const { accounts } = this.#engine;
    return accounts[this.#random(accounts.length)]!;
  }

  /** Some of several accounts, sent at once. */
  async #transfers(): Promise<void> {
    const { accounts } = this.#engine;
    const sent = Array.from({ length: 1 + this.#random(8) }, (_, index) => {
      const amount = this.#random(10) === 0 ? 10n ** 30n : BigInt(this.#random(1_000));
      const call = payment(this.#account().address, amount);
      return this.#engine.execute(accounts[index]!.signTransaction(call, { maxGasAmount: 100_000_000n }));
    });
    await Promise.all(sent);
  }

  async #calls(): Promise<void> {
    const call = {
      function: `${this.#counter}::add`,
      arguments: [`${this.#counter}::Counter`, BigInt(this.#random(99))],
    };
    const options = this.#random(8) === 0 ? { maxGasAmount: 300n } : {};
    const made = Array.from({ length: 1 + this.#random(5) }, () =>
      this.#engine.executeAs(this.#account().address, call, options).catch(expectRejection),
    );
    await Promise.all(made);
  }

  /** An old sequence number. */
  async #refused(): Promise<void> {
    const action = { function: '0x3::empty::empty' };
    const signed = this.#account().signTransaction(action, { sequenceNumber: 1_000_000n });
    await this.#engine.execute(signed).catch(expectRejection);
  }

  async #control(): Promise<void> {
    const { dev } = this.#engine;
    const { time } = dev;
    const { address } = this.#account();
    const choice = this.#random(4);
    if (choice === 0) {
      await dev.mint(address, BigInt(1 + this.#random(1_000)));
    } else if (choice === 1) {
      await time.advance(BigInt(this.#random(100_000)));
    } else if (choice === 2) {
      const type = `${this.#counter}::Counter`;
      await dev.setObject(type, { value: { value: BigInt(this.#random(1_000)) } });
    } else {
      const key = BigInt(this.#random(20));
      await dev.setField(`${this.#counter}::Counter`, { keyType: 'u64', key, valueType: 'u64', value: key + 1n });
    }
  }

  /** A block on the best one, or a branch that outgrows the last blocks. */
  async #block(): Promise<void> {
    const engine = this.#engine;
    const { bitcoin } = engine;
    const to = this.#account().bitcoin;
    if (this.#random(5) > 0) {
      const content = { contentType: 'text/plain', body: `inscription ${this.#number++}` };
      const first = await engine.dev.mine({ to });
      const coins = { txid: first.transactions[0]!.txid, vout: 0 };
      await engine.dev.mine({ to, transactions: [reveal(coins, content, [{ to, value: 10_000n }])] });
      return;
    }
    const branch = await engine.dev.mine({ to, on: bitcoin.status().pending!.blockHeight - 1n });
    await engine.dev.mine({ to, on: branch.hash });
  }
}

function expectRejection(error: unknown): void {
  if (!(error instanceof EngineError) || error.code !== 'transaction-rejected') throw error;
}
