/**
 * What an engine finds in its directory after the power was cut, whatever of what was not synced has survived: every
 * acknowledged transaction, in a chain that is sound and goes on.
 */
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { beforeAll, describe, expect, it } from 'vitest';
import { Engine } from '../../src/engine/engine.ts';
import { DEV_ACCOUNTS } from '../../src/execution/framework/accounts.ts';
import type { Account } from '../../src/query/account.ts';
import { randomNumbers, runs, seed } from '../effort.ts';
import { payment } from '../payment.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { bundled } from './bundled.ts';
import { type FileEvent, RecordedDirectory, recordingLibrary, recordRun, SURVIVALS } from './power-cut.ts';
import { expectSound } from './sound.ts';

const directory = temporaryDirectories();
const place = directory();
const library = recordingLibrary(place);
const note = library === undefined ? ' (skipped: it needs Linux and a C compiler)' : '';
const below = randomNumbers(seed);

/** Small, so that logs change often and batches are written in pieces. */
const BOUNDS = {
  LEVEL_WRITE_BUFFER_BYTES: 131_072,
  LEVEL_LOG_BYTES_LEFT_MAX: 65_536,
  LARGE_BATCH_HELD_OPERATIONS_MAX: 1_000,
  LARGE_BATCH_PIECE_OPERATIONS_MAX: 400,
};

let child: string;
beforeAll(async () => {
  child = await bundled(new URL('power-cut-child.ts', import.meta.url), BOUNDS);
});

/**
 * Where to cut: anywhere; while a log is synced; between the begin of a log and the next acknowledgement, when the log's
 * name may not be on the disk; and right at that acknowledgement.
 */
function cutsOf(events: readonly FileEvent[], told: string, count: number): number[] {
  const open = new Map<number, string>();
  const syncs: number[] = [];
  const begun: number[] = [];
  const acknowledgements: number[] = [];
  for (const [index, { kind, file, path }] of events.entries()) {
    if (kind === 'o') open.set(file, path);
    if (kind === 'o' && path.endsWith('.log')) begun.push(index);
    if (kind === 'b' && open.get(file)?.endsWith('.log')) syncs.push(index);
    if (kind === 'w' && open.get(file) === told) acknowledgements.push(index);
  }
  const oneOf = (indices: readonly number[]): number => indices[below(indices.length)]!;
  const nextTold = (from: number): number => acknowledgements.find((index) => index > from) ?? from;
  const cuts = Array.from({ length: count }, (_, index) => {
    const log = oneOf(begun);
    return [below(events.length), nextTold(log), oneOf(syncs), log + below(nextTold(log) - log + 1)][index % 4]!;
  });
  return cuts.sort((left, right) => left - right);
}

/** The highest order that was acknowledged, and the hash of each transaction. */
function acknowledged(told: readonly string[]): { head: bigint; hashes: ReadonlyMap<bigint, string> } {
  const lines = told.map((line) => line.split(' ') as [string, string]);
  const head = lines.reduce((most, [order]) => (BigInt(order) > most ? BigInt(order) : most), -1n);
  return { head, hashes: new Map(lines.flatMap(([order, hash]) => (hash === '-' ? [] : [[BigInt(order), hash]]))) };
}

/** Opens what was left, compares it with what was acknowledged, and lets the chain go on. */
async function expectWhole(path: string, told: readonly string[], message: string): Promise<void> {
  const { head, hashes } = acknowledged(told);
  const engine = await Engine.open({ store: path, clock: () => BigInt(Date.now()) });
  try {
    expect(engine.head.order >= head, `${engine.head.order}, acknowledged ${head}, ${message}`).toBe(true);
    expect(engine.status(), message).toMatchObject({ service: 'active', ...(head >= 0n && { lostCommits: 0n }) });
    for (const [order, hash] of [...hashes].slice(-40)) {
      expect(String(engine.transactions.get(order)?.hash), `order ${order}, ${message}`).toBe(hash);
    }
    const [first, second] = engine.accounts as [Account, Account];
    const { status } = await engine.executeAs(first.address, payment(second.address));
    expect(status.kind, message).toBe('executed');
    await engine.dev.mine({ to: DEV_ACCOUNTS[0]!.regtestAddress });
  } finally {
    await engine.close();
  }
  await expectSound(path);
}

describe.skipIf(library === undefined)(`a directory whose power was cut${note}`, () => {
  it.each(['plain', 'large', 'history', 'reopen', 'fresh', 'os'])(
    'holds what was acknowledged on the disk, is sound and goes on: %s',
    { timeout: 7_200_000 },
    async (kind) => {
      const root = join(place, kind);
      const path = join(root, 'd');
      const events = recordRun(library!, root, child, [kind, path, join(root, 'told')]);
      const left = new RecordedDirectory(path);
      let at = 0;
      for (const cut of cutsOf(events, join(root, 'told'), runs(4, 40))) {
        for (; at <= cut; at++) left.apply(events[at]!);
        for (const survival of SURVIVALS) {
          const target = join(root, 'left');
          left.write(target, survival, below);
          await expectWhole(
            target,
            // Nothing was promised to be on the disk.
            kind === 'os' ? [] : left.told,
            `${kind}, cut at ${cut}, ${survival.join(' names, ')} written, seed ${seed}`,
          );
          rmSync(target, { recursive: true });
        }
      }
    },
  );
});
