import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { inspect } from 'node:util';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Engine, type LogEntry } from '../../../src/index.ts';
import { BitcoinNode, cookieFile } from '../../../src/server/follower/bitcoin-node.ts';
import { Follower } from '../../../src/server/follower/follower.ts';
import { temporaryDirectories } from '../../store/temporary.ts';
import { FakeNode } from './fake-node.ts';

let fake: FakeNode;
const directory = temporaryDirectories()();
beforeEach(async () => {
  fake = await FakeNode.listen();
});
afterEach(async () => {
  await fake.close();
});

/** All that a program or a log could show of an error, its causes included. */
async function failureOf(attempt: Promise<unknown>): Promise<string> {
  return attempt.then(
    () => expect.unreachable('it should fail'),
    (error: unknown) => `${String(error)} ${JSON.stringify(error)} ${inspect(error, { depth: 9 })}`,
  );
}

describe('a cookie file', () => {
  it('is read before each call, so a node that was restarted is asked with its new cookie', async () => {
    const path = join(directory, '.cookie');
    const node = new BitcoinNode({ url: fake.url, credentials: cookieFile(path) });
    expect(await failureOf(node.blockCount())).toContain(`cookie file ${path}: ENOENT`);
    for (const cookie of ['__cookie__:6f7a', '__cookie__:91bc']) {
      fake.credentials = cookie;
      await writeFile(path, `${cookie}\n`);
      expect(await node.blockCount()).toBe(0);
    }
    fake.credentials = '__cookie__:another';
    expect(await failureOf(node.blockCount())).toContain('refuses user and password');
  });

  it.each(['', 'secretWithoutUser', 'me:secret\nme:secret', 'me: secret'])(
    'holds user and password: %j',
    async (text) => {
      const path = join(directory, 'other');
      await writeFile(path, text);
      const failure = await failureOf(cookieFile(path)());
      expect(failure).toContain(`cookie file ${path}: expected user:password in one line`);
      expect(failure).not.toContain('secret');
    },
  );
});

describe('user and password', () => {
  const password = 'hush"hush';
  const credentials = `satoshi:${password}`;
  const coded = Buffer.from(credentials).toString('base64');
  const secrets = [password, JSON.stringify(password).slice(1, -1), coded];

  it.each([
    ['an error', (text: string) => ({ error: { code: -1, message: text } })],
    ['the code of an error', (text: string) => ({ error: { code: text, message: 'x' } })],
    ['an error of text alone', (text: string) => ({ error: text })],
    ['an answer', (text: string) => ({ result: text })],
    ['an answer of parts', (text: string) => ({ result: [text] })],
    ['no JSON', (text: string) => text],
  ])('are not repeated when the node repeats them in %s', async (_name, answer) => {
    await using engine = await Engine.open();
    const log: LogEntry[] = [];
    const node = new BitcoinNode({ url: fake.url, credentials: () => credentials });
    const text = `Authorization: Basic ${coded}; ${credentials}; ${password}`;
    const given = answer(text);
    fake.broken = { status: 500, body: typeof given === 'string' ? given : JSON.stringify(given) };
    const shown = [await failureOf(node.blockCount()), await failureOf(node.broadcast(new Uint8Array(10)))];
    const follower = new Follower(engine, node, { from: 0, log: (entry) => log.push(entry), backoffMilliseconds: 2 });
    follower.start();
    await vi.waitFor(() => expect(log).not.toEqual([]), { timeout: 200_000 });
    await follower.stop();
    shown.push(JSON.stringify(log), JSON.stringify(follower.status), String(engine.status()));
    for (const secret of secrets) for (const place of shown) expect(place).not.toContain(secret);
    expect(shown[0]).toContain(fake.url);
  });

  it('are not repeated by the answer to a call before the cookie changed', async () => {
    const cookies = ['satoshi:older', 'satoshi:newer'];
    const node = new BitcoinNode({ url: fake.url, credentials: () => cookies.shift()! });
    fake.broken = { status: 500, body: JSON.stringify({ error: { code: -1, message: 'older, newer' } }) };
    // The second call reads its cookie while the first waits for its answer.
    const [older, newer] = await Promise.all([failureOf(node.blockCount()), failureOf(node.blockCount())]);
    expect([older, newer]).toEqual([expect.stringContaining('***, newer'), expect.stringContaining('older, ***')]);
  });

  it('in a URL are in no message, nor is a key in its path', async () => {
    fake.broken = { status: 403, body: '' };
    const url = `http://me:${encodeURIComponent(password)}@127.0.0.1:${fake.port}/v1/key-of-a-service?token=abc`;
    const node = new BitcoinNode({ url });
    expect(node.url).toBe(`${fake.url}/...`);
    const failure = await failureOf(node.blockCount());
    expect(failure).toContain('refuses user and password');
    for (const secret of ['hush', 'key-of-a-service', 'abc']) expect(failure).not.toContain(secret);
    for (const wrong of ['me:hush@host', 'http://me:hush%zz@host', 'http://me:hush@host:port']) {
      const refused = await failureOf((async () => new BitcoinNode({ url: wrong }))());
      expect(refused).toContain('url: expected http://');
      expect(refused).not.toContain('hush@');
    }
  });

  it('may have letters beyond ASCII', async () => {
    fake.accepts = `Basic ${Buffer.from('me:schlüssel✓').toString('base64')}`;
    expect(await new BitcoinNode({ url: fake.url, credentials: () => 'me:schlüssel✓' }).blockCount()).toBe(0);
  });
});
