import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { concatBytes, fromHex, toHex } from '../../src/base/bytes/bytes.ts';
import { formatBitcoinHash, type MinedBlock, RegtestChain } from '../../src/bitcoin/index.ts';
import { type OwnBlocks, orderBlocks } from '../../src/cli/block-files.ts';
import { ingestCommand } from '../../src/cli/ingest.ts';
import { DEV_ACCOUNTS, Engine } from '../../src/index.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { type Ran, ran } from './ran.ts';

const [alice, bob] = DEV_ACCOUNTS.map(({ regtestAddress }) => regtestAddress) as [string, string];
const temporary = temporaryDirectories();
let directory = '';
beforeEach(() => {
  directory = temporary();
});

const ingest = (...args: string[]): Promise<Ran> => ran(ingestCommand, ...args);

function file(name: string, content: Uint8Array | string): string {
  const path = join(directory, name);
  writeFileSync(path, content);
  return path;
}

function chainOf(count: number): RegtestChain {
  const chain = new RegtestChain();
  for (let block = 0; block < count; block++) chain.mine({ to: alice });
  return chain;
}

/** Records as Bitcoin Core writes them, with room at the end. */
function records(blocks: readonly MinedBlock[], magic = 'fabfb5da'): Uint8Array {
  const parts = blocks.flatMap(({ bytes }) => {
    const length = new Uint8Array(4);
    new DataView(length.buffer).setUint32(0, bytes.length, true);
    return [fromHex(magic), length, bytes];
  });
  return concatBytes(...parts, new Uint8Array(100));
}

const name = ({ hash }: MinedBlock): string => formatBitcoinHash(hash);

describe('movelet ingest', () => {
  it('warns of a block of another network on regtest, but takes it', async () => {
    const chain = chainOf(1);
    expect((await ingest(file('own', chain.blocks[0]!.bytes), '--height', '0')).err).toBe('');
    const bytes = chain.blocks[0]!.bytes.slice();
    new DataView(bytes.buffer).setUint32(72, 0x1d00ffff, true);
    const { code, err } = await ingest(file('other', bytes), '--height', '0');
    expect(code).toBe(0);
    expect(err).toMatch(/^warning: the chain follows regtest and block [0-9a-f]{64} of .*other was not mined for it/);
  });

  it('takes binary and hex files in any order and keeps the chain', async () => {
    const { blocks } = chainOf(4);
    const [first, second, third, fourth] = blocks as [MinedBlock, MinedBlock, MinedBlock, MinedBlock];
    const data = join(directory, 'chain');
    const paths = [
      file('c.hex', `${toHex(third.bytes)}\n${toHex(fourth.bytes)}\n`),
      file('b', second.bytes),
      file('a.hex', toHex(first.bytes)),
    ];
    const { code, out, err } = await ingest(...paths, '--height', '0', '--data', data);
    expect([code, err]).toEqual([0, '']);
    expect(out).toMatch(/^ingested 4 of 4 blocks, heights 0 to 3, 8 ledger transactions in .* order 8, state root 0x/);
    await using engine = await Engine.open({ store: data });
    expect(engine.bitcoin.status().confirmed).toEqual({ blockHeight: 3n, blockHash: formatBitcoinHash(fourth.hash) });
  });

  it('keeps only headers when told to', async () => {
    const { blocks } = chainOf(3);
    const data = join(directory, 'chain');
    const paths = blocks.map(({ bytes, height }) => file(`${height}`, bytes));
    const { out } = await ingest(...paths, '--height', '0', '--headers-only', '--data', data);
    expect(out).toMatch(/^ingested 3 of 3 blocks, heights 0 to 2, 3 ledger transactions in /);
    await using engine = await Engine.open({ store: data });
    expect(engine.bitcoin.status().confirmed).toEqual({
      blockHeight: 2n,
      blockHash: formatBitcoinHash(blocks[2]!.hash),
    });
    expect(engine.bitcoin.utxo({ txid: blocks[2]!.transactions[0]!.txid, vout: 0 })).toBeUndefined();
  });

  it('keeps the outputs of the owners that it is told to watch', async () => {
    const { blocks } = chainOf(3);
    const [first, second] = blocks.map(({ transactions }) => ({ txid: transactions[0]!.txid, vout: 0 }));
    const paths = blocks.map(({ bytes, height }) => file(`${height}`, bytes));
    const [watched, other] = ['watched', 'other'].map((name) => join(directory, name));
    await ingest(...paths, '--height', '0', '--watch', DEV_ACCOUNTS[0]!.address, '--data', watched!);
    await ingest(...paths, '--height', '0', '--watch', DEV_ACCOUNTS[1]!.address, '--watch', '0x42', '--data', other!);
    for (const [data, count] of [
      [watched, 3],
      [other, 0],
    ] as const) {
      await using engine = await Engine.open({ store: data });
      expect((await engine.bitcoin.utxos()).data.length).toBe(count);
      expect(engine.bitcoin.utxo(first!) === undefined).toBe(count === 0);
      expect(engine.bitcoin.utxo(second!) === undefined).toBe(count === 0);
    }
  });

  it('continues where a chain ends, and skips the blocks that it has', async () => {
    const chain = chainOf(2);
    const data = join(directory, 'chain');
    await ingest(
      file('one', records(chain.blocks).slice(8, 8 + chain.blocks[0]!.bytes.length)),
      '--height',
      '5',
      '--data',
      data,
    );
    const paths = chain.blocks.map(({ bytes }, index) => file(`block${index}`, bytes));
    const { out } = await ingest(...paths, '--data', data);
    expect(out).toMatch(/^ingested 1 of 2 blocks, heights 5 to 6/);
    await expect(ingest(paths[1]!, '--height', '9', '--data', data)).rejects.toThrow(/has height 6, not 9/);
  });

  it.each([
    ['plain', undefined],
    ['masked', '1122334455667788'],
  ])('reads a directory of Bitcoin Core, %s', async (_name, mask) => {
    const chain = chainOf(5);
    const [first, second, third, fourth, fifth] = chain.blocks as readonly MinedBlock[];
    const folder = join(directory, 'blocks');
    mkdirSync(folder);
    const hidden = (bytes: Uint8Array) =>
      mask === undefined ? bytes : bytes.map((byte, index) => byte ^ fromHex(mask)[index % 8]!);
    writeFileSync(join(folder, 'blk00000.dat'), hidden(records([second!, first!, fourth!])));
    // Room that is set aside is not masked.
    const written = records([third!, fifth!]);
    writeFileSync(join(folder, 'blk00001.dat'), concatBytes(hidden(written.subarray(0, -100)), written.subarray(-100)));
    if (mask !== undefined) writeFileSync(join(folder, 'xor.dat'), fromHex(mask));
    for (const path of [folder, directory]) {
      const { out } = await ingest(path, '--height', '0');
      expect(out).toMatch(/^ingested 5 of 5 blocks, heights 0 to 4/);
    }
  });

  it('follows the branch with the most work and reports the other branches', async () => {
    const chain = chainOf(3);
    const winner = chain.branch(0);
    for (let block = 0; block < 3; block++) winner.mine({ to: bob });
    const orphan = new RegtestChain({ height: 100, hash: new Uint8Array(32).fill(7) }).mine({ to: bob });
    const all = [...chain.blocks, ...winner.blocks.slice(1), orphan];
    const { out, err } = await ingest(...all.map(({ bytes }, index) => file(`b${index}`, bytes)), '--height', '0');
    expect(out).toMatch(/^ingested 4 of 4 blocks/);
    expect(err.match(/^stale: block \w+/gm)).toEqual(
      chain.blocks.slice(1).map((block) => `stale: block ${name(block)}`),
    );
    expect(err).toContain(`orphan: block ${name(orphan)}`);
  });

  it('counts the work of the blocks that it has: a short branch on the newest wins over a longer one below', async () => {
    const chain = chainOf(4);
    const fork = chain.branch(1);
    for (let block = 0; block < 2; block++) fork.mine({ to: bob });
    const data = join(directory, 'chain');
    const kept = ['--data', data, '--reorganisation-depth', '4'];
    await ingest(
      file('start', records(chain.blocks).slice(8, 8 + chain.blocks[0]!.bytes.length)),
      '--height',
      '0',
      ...kept,
    );
    const known = chain.blocks.slice(1).map(({ bytes }, index) => file(`known${index}`, bytes));
    await ingest(...known, '--data', data);
    const lost = fork.blocks.slice(2).map(({ bytes }, index) => file(`lost${index}`, bytes));
    const next = file('next', chain.mine({ to: alice }).bytes);
    const { out, err } = await ingest(...lost, next, '--data', data);
    expect(out).toMatch(/^ingested 1 of 1 blocks, heights 4 to 4/);
    expect(err.match(/^stale: block \w+/gm)).toEqual(
      fork.blocks.slice(2).map((block) => `stale: block ${name(block)}`),
    );
    // Three blocks on height 1 have no more work than its own three, and four do.
    for (const [count, expected] of [
      [1, /^ingested 0 of 4 blocks, heights 1 to 4/],
      [2, /^ingested 4 of 5 blocks, heights 1 to 5/],
    ] as const) {
      lost.push(file(`more${count}`, fork.mine({ to: bob }).bytes));
      expect((await ingest(...known, next, ...lost, '--data', data)).out).toMatch(expected);
    }
  });

  it('does not leave the blocks that it has for a branch with less work', async () => {
    const chain = chainOf(5);
    const fork = chain.branch(1);
    for (let block = 0; block < 4; block++) fork.mine({ to: bob });
    const data = join(directory, 'chain');
    const own = chain.blocks.map(({ bytes }, index) => file(`own${index}`, bytes));
    const others = fork.blocks.slice(2).map(({ bytes }, index) => file(`other${index}`, bytes));
    await ingest(...own, '--height', '0', '--data', data, '--reorganisation-depth', '4');
    const stale = fork.blocks.slice(2, 4).map((block) => `stale: block ${name(block)}`);
    const alone = await ingest(...others.slice(0, 2), '--data', data);
    expect([alone.code, alone.out, alone.err.match(/^stale: block \w+/gm)]).toEqual([1, 'ingested no block\n', stale]);
    const beside = await ingest(...own.slice(0, 3), ...others.slice(0, 2), '--data', data);
    expect(beside.out).toMatch(/^ingested 0 of 3 blocks, heights 0 to 2/);
    expect(beside.err.match(/^stale: block \w+/gm)).toEqual(stale);
    expect((await ingest(...others, '--data', data)).out).toMatch(/^ingested 4 of 4 blocks, heights 2 to 5/);
  });

  it('says what is missing or unreadableFile', async () => {
    const { blocks } = chainOf(2);
    const [first, second] = blocks as [MinedBlock, MinedBlock];
    const path = file('block', first.bytes);
    await expect(ingest(path)).rejects.toThrow(/--height/);
    await expect(ingest(join(directory, 'none'))).rejects.toThrow(/there is no file or folder/);
    await expect(ingest(directory)).rejects.toThrow(/no blk\*\.dat/);
    await expect(ingest(file('short', first.bytes.subarray(0, 60)))).rejects.toThrow(/at least 80 bytes/);
    await expect(ingest(file('blk00000.dat', records([first], 'aabbccdd')))).rejects.toThrow(
      /magic number, got aabbccdd/,
    );
    const cut = records([first]).subarray(0, 100);
    await expect(ingest(file('blk00001.dat', cut))).rejects.toThrow(/expected a whole block/);
    await expect(ingest(file('cut', first.bytes.subarray(0, -1)), '--height', '0')).rejects.toMatchObject({
      code: 'malformed-bytes',
    });
    const data = join(directory, 'chain');
    await ingest(path, '--height', '0', '--data', data);
    const { code, out, err } = await ingest(file('far', chainOf(5).blocks[4]!.bytes), '--data', data);
    expect([code, out]).toEqual([1, 'ingested no block\n']);
    expect(err).toContain('orphan');
    expect(second.height).toBe(1);
  });
});

describe('the order of blocks', () => {
  const NO_CHAIN: OwnBlocks = { isEmpty: true, height: -1, heightOf: () => undefined, bitsAt: () => 0 };

  it('is by work; of equal work, the first given wins', () => {
    const chain = chainOf(2);
    const other = chain.branch(0);
    other.mine({ to: bob });
    const linked = [...chain.blocks, other.blocks[1]!].map((block) => ({ hash: name(block), header: block.header }));
    const hashes = (blocks: readonly { hash: string }[]) => blocks.map(({ hash }) => hash);
    const { chain: ordered, stale, orphans } = orderBlocks(linked, NO_CHAIN);
    expect(hashes(ordered)).toEqual(hashes(linked.slice(0, 2)));
    expect(hashes(stale)).toEqual([linked[2]!.hash]);
    expect(orphans).toEqual([]);
    expect(orderBlocks(linked, { ...NO_CHAIN, isEmpty: false }).orphans).toHaveLength(3);
    expect(orderBlocks([], NO_CHAIN)).toEqual({ chain: [], stale: [], orphans: [] });
  });
});
