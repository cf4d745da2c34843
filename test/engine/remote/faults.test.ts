/** What goes wrong between a fork and its origin: it is said, in time, nothing is half done, and the fork goes on. */

import { readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, vi } from 'vitest';
import { Engine } from '../../../src/engine/engine.ts';
import { StoredRows, segmentOf } from '../../../src/engine/remote/stored-rows.ts';
import { temporaryDirectories } from '../../store/temporary.ts';
import { paidOrigin, sharedOrigin, transfer } from './origin.ts';

const directory = temporaryDirectories();
const shared = sharedOrigin();

describe('an origin that fails', () => {
  it('in the middle of a transaction has that transaction refused without effect; the next is executed', async () => {
    const origin = shared();
    await using fork = await Engine.open({ fork: { url: origin.url, cache: false } });
    const [alice] = fork.accounts;
    const { stateRoot } = fork.head;
    const events: unknown[] = [];
    fork.on('head', (change) => events.push(change));
    // The connection breaks at the first, second and third thing that the transaction reads.
    for (let answers = 0; answers < 3; answers++) {
      await origin.run((side, given) => {
        let left = given!;
        side.answer = async (_, pass) => {
          if (left-- <= 0) return undefined;
          const { text } = await pass();
          const { result } = JSON.parse(text);
          return { text: JSON.stringify({ result: { ...result, more: [] } }) };
        };
      }, answers);
      const sent = fork.executeAs(alice!.address, transfer('0x1033', 7n));
      await expect(sent).rejects.toMatchObject({ code: 'transport-failed', details: { remote: origin.url } });
      expect(fork.head.stateRoot).toBe(stateRoot);
      expect(events).toEqual([]);
    }
    await origin.run((side) => {
      side.answer = undefined;
    });
    expect((await fork.executeAs(alice!.address, transfer('0x1034', 7n))).status).toMatchObject({ kind: 'executed' });
    expect(fork.balance('0x1034')).toBe(12n);
  });

  it('for a moment is asked again: too many requests, or no connection', async () => {
    const origin = shared();
    await using fork = await Engine.open({ fork: { url: origin.url, cache: false } });
    await origin.run((side) => {
      let left = 2;
      side.answer = async (_, pass) => {
        if (left === 0) return pass();
        return left-- === 2 ? { status: 429, text: 'slow down' } : undefined;
      };
    });
    await origin.requests();
    expect(fork.balance('0x1012')).toBe(5n);
    expect((await origin.requests()).length).toBeGreaterThan(2);
    await origin.run((side) => {
      side.answer = async () => ({ status: 429, text: 'slow down' });
    });
    expect(() => fork.balance('0x1039')).toThrow(/gave no answer: it answered with HTTP status 429/);
    expect(await origin.requests()).toHaveLength(4);
  });

  it('to answer in time is not waited for longer', async () => {
    const origin = shared();
    // So little time is too little for a busy machine at times; then it is asked again.
    const open = () => Engine.open({ fork: { url: origin.url, cache: false, timeoutMs: 1_000 } });
    await using fork = await vi.waitFor(open, { timeout: 200_000 });
    await origin.run((side) => {
      side.answer = () => new Promise(() => {});
    });
    expect(() => fork.balance('0x1012')).toThrow(/gave no answer: it did not answer within 1000 ms/);
    await origin.run((side) => {
      side.answer = undefined;
    });
    await expect.poll(() => fork.balance('0x1012')).toBe(5n);
  });

  it('by answers that are too long or malformed is reported', async () => {
    const origin = shared();
    await using fork = await Engine.open({ fork: { url: origin.url, cache: false } });
    const answers = [
      ['{"jsonrpc":"2.0","id":1}', /did not answer as a JSON-RPC node does/],
      ['<html>', /did not answer with JSON/],
      ['{"result":{"values":[7],"more":[]}}', /answered in another form/],
      ['{"result":{"values":[],"more":[]}}', /answered in another form/],
      ['{"result":{"values":["0x0"],"more":[]}}', /answered in another form/],
      ['{"result":null}', /answered in another form/],
      ['{"result":7}', /answered in another form/],
      ['long', /expected at most \d+ bytes \(FETCH_ANSWER_BYTES_MAX\)/],
    ] as const;
    for (const [text, expected] of answers) {
      await origin.run((side, answer) => {
        side.answer = async () => ({ text: answer === 'long' ? `"${'0'.repeat(42 * 2 ** 20)}"` : answer! });
      }, text);
      expect(() => fork.balance('0x1012'), text).toThrow(expected);
    }
  });

  it('because it pruned the state of the fork is reported', async () => {
    await using origin = await paidOrigin({ history: 1 });
    await using fork = await Engine.open({ fork: { url: origin.url, cache: false } });
    await origin.run(async ({ engine, transfer: pay, rpc }) => {
      for (let made = 0; made < 300; made++) await engine.executeAs(engine.accounts[0]!.address, pay('0x1012', 1n));
      await engine.prune();
      void rpc;
    });
    // While the moment is held, it is read; a view holds rows, whatever is pruned.
    expect(fork.balance('0x1012')).toBe(5n);
    await expect(Engine.open({ fork: { url: origin.url, at: 3n, cache: false } })).rejects.toMatchObject({
      code: 'pruned',
    });
  });

  it('to serve rows at all, or to be there, is reported when the fork is opened', async () => {
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'application/json');
      response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code: -32601, message: 'Method not found' } }));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
    const opened = Engine.open({ fork: { url, cache: false } });
    await expect(opened).rejects.toThrow(/start it with --serve-nodes/);
    await new Promise((resolve) => server.close(resolve));
    await expect(Engine.open({ fork: { url, cache: false, timeoutMs: 500 } })).rejects.toMatchObject({
      code: 'transport-failed',
      details: { remote: url },
    });
  });
});

describe('what is kept on disk', () => {
  const named = (name: string, text: string) => ({ name, value: new TextEncoder().encode(text) });

  it('reports once that rows cannot be written any more, and goes on', () => {
    const folder = directory();
    const reported: string[] = [];
    const stored = new StoredRows(folder, ({ message }) => reported.push(message));
    rmSync(folder, { recursive: true });
    for (const name of ['a', 'b']) stored.put([{ name, value: Uint8Array.of(1) }]);
    expect(stored.get('b')?.value).toEqual(Uint8Array.of(1));
    expect(reported).toEqual([expect.stringContaining(`the rows of forks cannot be kept in ${folder}`)]);
  });

  it('is shared by processes, and survives one that ends in the middle of a write', () => {
    const folder = directory();
    const one = new StoredRows(folder);
    const other = new StoredRows(folder);
    one.put([named('a', 'one'), { name: 'absent', value: undefined }]);
    other.put([named('b', 'two')]);
    one.put([named('c', 'three')]);
    const files = readdirSync(folder);
    expect(files).toHaveLength(2);
    const torn = segmentOf([named('d', 'four'), named('e', 'five')]);
    writeFileSync(join(folder, '1-1-1.rows'), torn.subarray(0, torn.length - 3));
    const again = new StoredRows(folder);
    const text = (name: string) => {
      const row = again.get(name);
      return row?.value && new TextDecoder().decode(row.value);
    };
    expect(['a', 'b', 'c', 'd', 'e'].map(text)).toEqual(['one', 'two', 'three', 'four', undefined]);
    expect([again.get('absent'), again.get('nothing')]).toEqual([{ value: undefined }, undefined]);
  });

  it('is bounded: the oldest is dropped, and many small files become one', () => {
    const folder = directory();
    for (let made = 0; made < 20; made++) new StoredRows(folder).put([named(`row ${made}`, 'x'.repeat(1_000))]);
    new StoredRows(folder);
    expect(readdirSync(folder).length).toBeLessThan(20);
    const all = new StoredRows(folder);
    expect(Array.from({ length: 20 }, (_, made) => all.get(`row ${made}`) !== undefined)).not.toContain(false);
    const few = new StoredRows(directory(), undefined, 3_000);
    for (let made = 0; made < 9; made++) few.put([named(`row ${made}`, 'x'.repeat(1_000))]);
    expect(few.get('row 8')).toBeDefined();
  });

  it('is checked as what comes over the network: rows that were changed there are fetched again', async () => {
    const cache = directory();
    const origin = shared();
    const at = 64n;
    {
      await using fork = await Engine.open({ fork: { url: origin.url, at, cache } });
      expect(fork.balance('0x1012')).toBe(5n);
    }
    const nodes = join(cache, 'nodes');
    const [file] = readdirSync(nodes);
    const stored = new StoredRows(nodes);
    const rows = [...stored.names()].map((name) => {
      const value = stored.get(name)!.value!.slice();
      value[value.length - 1]! ^= 1;
      return { name, value };
    });
    writeFileSync(join(nodes, file!), segmentOf(rows));
    await origin.requests();
    await using fork = await Engine.open({ fork: { url: origin.url, at, cache } });
    expect(fork.balance('0x1012')).toBe(5n);
    expect((await origin.requests()).length).toBeGreaterThan(0);
    await using offline = await Engine.open({ fork: { url: origin.url, at, cache, offline: true } });
    expect(offline.balance('0x1012')).toBe(5n);
  });

  it('is optional where no folder can be made, unless one was named', async () => {
    const folder = join(directory(), 'file');
    writeFileSync(folder, '');
    const { url } = shared();
    await expect(Engine.open({ fork: { url, cache: join(folder, 'cache') } })).rejects.toMatchObject({
      code: 'store-failed',
    });
  });
});
