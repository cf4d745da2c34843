/** What transfers cost a chain as a whole: as it grows, in forks, when going back, in a fresh process, in memory. */

import { sha3 } from '../src/base/hash/sha3.ts';
import { Engine } from '../src/engine/engine.ts';
import { DEV_ACCOUNTS } from '../src/execution/framework/accounts.ts';
import { formatAddress } from '../src/move/address.ts';
import { assembleFor } from '../test/pipeline/contract.ts';
import { type BenchLine, line } from './line.ts';
import { elapsed, inFreshProcess, least, median, PACKAGE, processorTime } from './measure.ts';
import { executed, MAX_GAS_AMOUNT, sendAll, transfer } from './transfers.ts';

const THOUSAND = 1_000;

/** An address without a known key. */
function newAccount(index: number): string {
  return formatAddress(sha3(Uint8Array.of(index, index >> 8, index >> 16)));
}

/**
 * Pays many accounts in one transaction: most of the hundred thousand are created this way, since otherwise it would
 * take minutes.
 */
const PAYROLL = `module 0xa11ce::payroll
  public entry fun pay(sender: &signer, to: vector<address>) {
    again: ImmBorrowLoc to; VecLen address; LdU64 0; Eq; BrTrue done
    CopyLoc sender; MutBorrowLoc to; VecPopBack address; LdU256 1
    Call 0x3::transfer::transfer_coin<0x3::gas_coin::RGas>; Branch again
    done: Ret
  }`;
const PAID_AT_ONCE = 200;
/** After these rounds, transfers to one account are as fast as before the payments to many, for which V8 drops code. */
const UNMEASURED_ROUNDS = 2;

/** Transfers that each create an account: the cost of the last thousands compared with the first. */
export async function growth(short: boolean): Promise<BenchLine[]> {
  const [accounts, round, rounds] = short ? [5_000, THOUSAND / 2, 3] : [100_000, THOUSAND, 7];
  await using engine = await Engine.open();
  const senders = engine.accounts.map(({ address }) => address);
  let made = 0;
  const transfers = async (): Promise<void> => {
    const sends = Array.from({ length: round }, () => {
      const index = made++;
      const sender = senders[index % senders.length]!;
      const call = transfer(newAccount(index));
      return () => engine.executeAs(sender, call, { maxGasAmount: MAX_GAS_AMOUNT });
    });
    await sendAll(sends);
  };
  const measure = async (): Promise<number> => {
    const times: number[] = [];
    while (times.length < rounds) times.push((await processorTime(transfers)) / round);
    return median(times);
  };
  // Warm up until the code is compiled and optimised, on another chain, so that this one starts small.
  await warmUp(engine);
  const first = await measure();
  executed(await engine.publish(senders[0]!, [assembleFor(DEV_ACCOUNTS[0]!, PAYROLL)]));
  const payroll = `${engine.accounts[0]}::payroll::pay`;
  const others = accounts - made - (UNMEASURED_ROUNDS + rounds) * round;
  for (let left = others; left > 0; left -= PAID_AT_ONCE) {
    const to = Array.from({ length: Math.min(left, PAID_AT_ONCE) }, () => newAccount(made++));
    executed(await engine.executeAs(senders[0]!, { function: payroll, arguments: [to] }));
  }
  for (let unmeasured = 0; unmeasured < UNMEASURED_ROUNDS; unmeasured++) await transfers();
  const name = `a transfer to a new account, the last of ${accounts.toLocaleString('en')}`;
  return [line(name, await measure(), 'us', { name: 'one of the first', value: first }, '1.2x')];
}

async function warmUp(engine: Engine): Promise<void> {
  await using fork = engine.fork();
  const [sender] = fork.accounts;
  for (let index = 0; index < 3 * THOUSAND; index++) {
    await fork.executeAs(sender!.address, transfer(newAccount(index)), { maxGasAmount: MAX_GAS_AMOUNT });
  }
}

/** Transfers of a test in a fork of its own. */
const OF_A_TEST = 3;

/** Reverts and forks, with a transfer each. */
export async function forksAndReverts(short: boolean): Promise<BenchLine[]> {
  await using engine = await Engine.open();
  const [sender, to] = engine.accounts.map(({ address }) => address);
  const send = async (on: Engine): Promise<void> => {
    executed(await on.executeAs(sender!, transfer(String(to)), { maxGasAmount: MAX_GAS_AMOUNT }));
  };
  for (let index = 0; index < 2 * THOUSAND; index++) await send(engine);
  const rounds = short ? 50 : 500;
  const alone: number[] = [];
  const reverted: number[] = [];
  for (let round = 0; round < rounds; round++) {
    alone.push(await elapsed(() => send(engine)));
    // Otherwise the snapshot would make the rows of that transfer.
    void engine.head.stateRoot;
    reverted.push(
      await elapsed(async () => {
        const snapshot = engine.snapshot();
        await send(engine);
        await engine.revert(snapshot);
      }),
    );
  }
  const hundred = async (): Promise<void> => {
    const forks = Array.from({ length: 100 }, () => engine.fork());
    for (const fork of forks) await send(fork);
    for (const fork of forks) await fork.close();
  };
  await hundred();
  const one = median(alone);
  // What a test does, without and with reads that need the rows of its commits.
  const test = async (isSeen: boolean): Promise<void> => {
    await using fork = engine.fork();
    for (let index = 0; index < OF_A_TEST; index++) {
      const receipt = executed(await fork.executeAs(sender!, transfer(String(to)), { maxGasAmount: MAX_GAS_AMOUNT }));
      fork.balance(to!);
      for (const { value } of receipt.events) JSON.stringify(value, (_, each) => String(each));
    }
    if (isSeen) await fork.transactions.list(undefined, { limit: OF_A_TEST, descending: true });
    if (isSeen) fork.head;
  };
  const tests = (isSeen: boolean) => async (): Promise<void> => {
    for (let index = 0; index < rounds; index++) await test(isSeen);
  };
  await tests(false)();
  await tests(true)();
  const ofOne = (isSeen: boolean): Promise<number> =>
    least(short ? 3 : 9, async () => (await processorTime(tests(isSeen))) / rounds / OF_A_TEST);
  const dropped = 'a transfer of three in a fork, with balance and events, after which the fork is dropped';
  const seen = { name: 'the same, and a page of transactions and the root', value: await ofOne(true) };
  const forks = await least(short ? 2 : 8, () => elapsed(hundred));
  return [
    line(dropped, await ofOne(false), 'us of processor time', seen),
    line('snapshot, a transfer, revert', median(reverted), 'ms', { name: 'the transfer alone', value: one }),
    line('a hundred forks, each with a transfer', forks, 'ms', { name: 'a hundred transfers', value: 100 * one }),
  ];
}

/** Transactions of a suite: most processes that use an engine make no more. */
const OF_A_SUITE = 100;

const SEND = `
const send = () => engine.executeAs(from.address, { function: '0x3::transfer::transfer_coin', typeArguments: ['0x3::gas_coin::RGas'], arguments: [to.address, 1n] });`;

/** A process that opens an engine and sends transfers; times are from process start. */
export function freshProcess(short: boolean): BenchLine[] {
  const rounds = short ? 3 : 11;
  const run = (code: string): number => median(Array.from({ length: rounds }, () => inFreshProcess(code)));
  const receipt = run(
    `import { Engine } from ${PACKAGE}; const engine = await Engine.open(); const [from, to] = engine.accounts;
    const { status } = await engine.execute(from.signTransaction({ function: '0x3::transfer::transfer_coin', typeArguments: ['0x3::gas_coin::RGas'], arguments: [to.address, 1n] }));
    const time = performance.now(); await engine.close(); process.stdout.write(status.kind === 'executed' ? String(time) : 'failed');`,
  );
  const suite = run(
    `import { Engine } from ${PACKAGE}; const engine = await Engine.open(); const [from, to] = engine.accounts; ${SEND}
    const start = performance.now(); for (let made = 0; made < ${OF_A_SUITE}; made++) { const { status } = await send(); if (status.kind !== 'executed') throw new Error('failed'); }
    const time = performance.now() - start; await engine.close(); process.stdout.write(String(time));`,
  );
  const empty = run('process.stdout.write(String(performance.now()));');
  const baseline = { name: 'the first line of an empty process', value: empty };
  const first = `the first ${OF_A_SUITE} transfers of a process, one after another, once the engine is open`;
  return [
    line('first receipt of a signed transfer, from the start of the process', receipt, 'ms', baseline, '150'),
    line(first, suite, 'ms', baseline),
  ];
}

/** Memory of a process that has sent many transfers, and of one that has sent a single one. */
export function memory(short: boolean): BenchLine[] {
  const transfers = short ? 500 : 5_000;
  const after = (count: number, measured: string): number =>
    inFreshProcess(
      `import { Engine } from ${PACKAGE}; const engine = await Engine.open(); const [from, to] = engine.accounts; ${SEND}
      for (let made = 0; made < ${count}; made++) { const { status } = await send(); if (status.kind !== 'executed') throw new Error('failed'); }
      gc(); gc(); const { rss, heapUsed, arrayBuffers } = process.memoryUsage(); await engine.close(); process.stdout.write(String((${measured}) / 2 ** 20));`,
      ['--expose-gc'],
    );
  const of = (what: string, measured: string, target?: string): BenchLine => {
    const name = `${what} after ${transfers.toLocaleString('en')} transfers, all history kept`;
    return line(name, after(transfers, measured), 'MB', { name: 'after one', value: after(1, measured) }, target);
  };
  return [of('memory of the process', 'rss', '90 MB'), of('held, after a collection,', 'heapUsed + arrayBuffers')];
}
