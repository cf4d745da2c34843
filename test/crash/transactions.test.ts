/**
 * A process that is killed while clients send it transactions, under either durability, again and again on one
 * directory: everything that it acknowledged is there as acknowledged, and the chain is whole.
 */

import { beforeAll, expect, it } from 'vitest';
import { Engine } from '../../src/engine/engine.ts';
import type { TransactionValue } from '../../src/query/values.ts';
import { randomNumbers, runs, seed } from '../effort.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { bundled } from './bundled.ts';
import { expectSound } from './sound.ts';
import { pause, Victim } from './victim.ts';

const directory = temporaryDirectories();
let child: string;
beforeAll(async () => {
  child = await bundled(new URL('transactions-child.ts', import.meta.url));
});

const CONTROLS: readonly string[] = ['fund', 'object', 'field'];
const KINDS: readonly string[] = ['block', ...CONTROLS, 'module', 'time', 'transaction'];

/** Which kinds of acknowledgements are among the lines. */
const kindsIn = (lines: readonly string[]): string[] =>
  KINDS.filter((kind) => lines.some((line) => line.startsWith(`${kind} `)));

/** What a control wrote at `where`, and nothing wrote since. */
function expectWritten(engine: Engine, kind: string, where: string, value: bigint): void {
  if (kind === 'fund') {
    expect(engine.balances.get(where, '0x3::gas_coin::RGas').balance).toBe(value);
  } else if (kind === 'object') {
    expect(engine.objects.get(where)?.decoded).toMatchObject({ milliseconds: value });
  } else {
    const values = engine.states.list(`/fields/${where}`).data.map(({ object }) => object.decoded);
    expect(values).toMatchObject([{ name: value, value }]);
  }
}

/** What a line of the victim acknowledges: see transactions-child.ts. */
function expectAcknowledged(engine: Engine, line: string): void {
  const [word, ...rest] = line.split(' ');
  if (word === 'block') {
    const [height, hash] = rest;
    expect(String(engine.bitcoin.block(Number(height))?.blockHash)).toBe(hash);
    return;
  }
  if (word === 'time') {
    expect(engine.dev.time.now()).toBeGreaterThanOrEqual(BigInt(rest[0]!));
    return;
  }
  const [order, hash, stateRoot, sender, name] = rest;
  const record = engine.transactions.get(hash!)!;
  expect(record.order).toBe(BigInt(order!));
  expect(String(record.executionInfo.stateRoot)).toBe(stateRoot);
  if (CONTROLS.includes(word!)) {
    expectWritten(engine, word!, sender!, BigInt(name!));
    return;
  }
  expect(senderOf(record)).toBe(sender);
  if (word === 'module') {
    const { values } = engine.tryView({ function: `${sender}::${name}::number` });
    expect(values?.map(({ decoded }) => decoded)).toEqual([BigInt(name!.slice(1))]);
  }
}

function senderOf({ transaction: { data } }: TransactionValue): string | undefined {
  return data.kind === 'l2-transaction' ? String(data.data.sender) : undefined;
}

/** Checks the chain from `from` to the head, transaction by transaction; counts those of each account in `sent`. */
function expectWhole(engine: Engine, from: bigint, sent: Map<string, bigint>): void {
  const { order: head, stateRoot } = engine.head;
  for (let order = from; order <= head; order++) {
    const record = engine.transactions.get(order)!;
    expect(engine.at(record.executionInfo.stateRoot).inside.state.object([])).toBeDefined();
    expect(engine.transactions.get(record.hash)?.order).toBe(order);
    if (order === head) expect(record.executionInfo.stateRoot).toEqual(stateRoot);
    const sender = senderOf(record);
    if (sender !== undefined) sent.set(sender, (sent.get(sender) ?? 0n) + 1n);
  }
  for (const account of engine.accounts) {
    const { sequenceNumber } = account.transaction({ kind: 'modules', modules: [] });
    expect(sequenceNumber).toBe(sent.get(String(account)) ?? 0n);
  }
}

it('keeps every transaction that it acknowledged, and none in part', { timeout: 1_800_000 }, async () => {
  const path = directory();
  const next = randomNumbers(seed);
  const rounds = runs(4, 100);
  const sent = new Map<string, bigint>();
  const acknowledged: string[] = [];
  let waiting = new Victim(child, path, 'fsync');
  let head = -1n;
  for (let round = 0; round < rounds; round++) {
    const running = waiting;
    await running.go();
    if (round + 1 < rounds) waiting = new Victim(child, path, round % 2 === 0 ? 'os' : 'fsync');
    // Some are killed while they open, most some time after, at any point; the first when it has done everything.
    const lines = [60, undefined, undefined, undefined, 0][round % 5] ?? 3 + next(60);
    await running.until(
      () => running.lines.length >= lines && (round > 0 || kindsIn(running.lines).length === KINDS.length),
    );
    await pause(next(lines === 0 ? 400 : 50));
    await running.kill();
    const told = running.lines.slice(2);
    acknowledged.push(...told);
    await using engine = await Engine.open({ store: path });
    const context = `round ${round} of seed ${seed}, ${told.length} acknowledged`;
    expect(engine.head.order, context).toBeGreaterThanOrEqual(head);
    expect(engine.status().lostCommits, context).toBe(0n);
    for (const line of told) expectAcknowledged(engine, line);
    expectWhole(engine, head + 1n, sent);
    head = engine.head.order;
  }
  // What the first rounds acknowledged is there at the end of the last.
  const engine = await Engine.open({ store: path });
  for (const line of acknowledged) expectAcknowledged(engine, line);
  await engine.close();
  await expectSound(path);
  expect(kindsIn(acknowledged)).toEqual(KINDS);
});
