/** movelet deploy: only what is missing is sent, on any chain, however often it is run and wherever it was ended. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { afterAll, beforeEach, describe, expect, it } from 'vitest';
import { UsageError } from '../../src/cli/arguments.ts';
import { deployCommand } from '../../src/cli/deploy.ts';
import { compile } from '../../src/compile/index.ts';
import { DEV_ACCOUNTS, Engine } from '../../src/index.ts';
import { bitcoinSigner } from '../../src/query/transaction-builder.ts';
import { createRpc, serveHttp } from '../../src/server/index.ts';
import { thisThread } from '../../src/store/directory-owner.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { cli, isBuilt, note } from './built.ts';
import { type Ran, ran } from './ran.ts';

const ALICE = DEV_ACCOUNTS[0]!.address;
const SOURCE = `module game::game {
  use moveos_std::object::{Self, Object};

  struct Registry has key { games: u64 }
  struct Game has key { score: u64 }

  fun init() { object::to_shared(object::new_named_object(Registry { games: 0 })); }

  public entry fun open(registry: &mut Object<Registry>, score: u64) {
    let registry = object::borrow_mut(registry);
    registry.games = registry.games + 1;
    object::to_shared(object::new(Game { score }));
  }

  public entry fun score(game: &mut Object<Game>, by: vector<u64>) {
    assert!(!std::vector::is_empty(&by), 7);
    let game = object::borrow_mut(game);
    std::vector::for_each(by, |amount| game.score = game.score + amount);
  }
}
`;
/** The score needs all of its digits. */
const STEPS = `{
  "game": { "publish": "package", "addresses": { "game": 0 } },
  "opened": { "call": "\${game}::game::open", "arguments": ["\${game.Registry}", 9007199254740993] },
  "scored": { "call": "\${game}::game::score", "arguments": ["\${opened.Game}", [1, 2]], "sender": 1 }
}
`;
/** The end of the same file, with one step more. */
const MORE = `,
  "more": { "call": "\${game}::game::score", "arguments": ["\${opened.Game}", [4]] }
}`;
const SCORE = 9_007_199_254_740_996n;

const temporary = temporaryDirectories();
const open: { close(): Promise<void> }[] = [];
afterAll(async () => {
  for (const each of open.reverse()) await each.close();
});

/** Chains of one genesis. */
const origin = await Engine.open();
open.push(origin);

interface Node {
  readonly engine: Engine;
  readonly url: string;
}

async function serve(engine: Engine, dev = false): Promise<Node> {
  const server = await serveHttp(createRpc(engine, { dev }), { port: 0 });
  open.push(engine, server);
  return { engine, url: server.url };
}

/**
 * A server in front of another one.
 * @param answer gives the answer to the body of a request; nothing is answered if it gives undefined
 */
async function proxyOf(answer: (body: string) => Promise<string | undefined>): Promise<string> {
  const proxy = createServer(async (request, response) => {
    let body = '';
    for await (const chunk of request.setEncoding('utf8')) body += chunk;
    const text = await answer(body);
    if (text !== undefined) response.setHeader('content-type', 'application/json').end(text);
  });
  await once(proxy.listen(0, '127.0.0.1'), 'listening');
  open.push({
    async close() {
      proxy.closeAllConnections();
      proxy.close();
    },
  });
  return `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
}

async function answerOf({ url }: Node, body: string): Promise<string> {
  const answer = await fetch(url, { method: 'POST', body, headers: { 'content-type': 'application/json' } });
  return answer.text();
}

let folder = '';
let file = '';
beforeEach(() => {
  folder = temporary();
  file = join(folder, 'deploy.json');
  mkdirSync(join(folder, 'package/sources'), { recursive: true });
  write('package/Move.toml', '[package]\nname = "Game"\n[addresses]\ngame = "_"\n[dependencies]\nMoveosStdlib = {}\n');
  write('package/sources/game.move', SOURCE);
  write('deploy.json', STEPS);
});

const write = (name: string, text: string): void => writeFileSync(join(folder, name), text);
const deploy = (url: string, ...args: string[]): Promise<Ran> =>
  ran(deployCommand, file, '--url', url, ...(args.length > 0 ? args : ['--yes']));

interface Result {
  readonly chain: { readonly id: string };
  readonly steps: Readonly<Record<string, { readonly address?: string; readonly objects: Record<string, string> }>>;
  readonly others?: readonly Result[];
}
const result = (): Result => JSON.parse(readFileSync(join(folder, 'deploy.result.json'), 'utf8'));
const scoreOf = ({ engine }: Node): unknown => engine.objects.get(result().steps['opened']!.objects['Game']!)?.decoded;

describe.each([
  ['a test node', true],
  ['a node without controls', false],
])('on %s', (_name, dev) => {
  it('nothing is recorded before it is confirmed, and nothing is done twice', async () => {
    const node = await serve(origin.fork(), dev);
    const tried = await deploy(node.url, '--dry-run');
    expect(tried.code).toBe(0);
    expect(tried.out.replace(/gas \d+|0x[0-9a-f]{64}/g, 'N')).toBe(
      dev
        ? `game: would publish game, N
  Registry N
opened: would call game::open, N
  Game N
scored: would call game::score, N
3 of 3 steps are missing, tried on a fork
`
        : `game: would publish game, N
opened: not tried, since it needs what is missing
scored: not tried, since it needs what is missing
3 of 3 steps are missing
`,
    );
    await expect(ran(deployCommand, file, '--url', node.url)).rejects.toThrow('--yes');
    expect([node.engine.head.order, existsSync(join(folder, 'deploy.result.json'))]).toEqual([0n, false]);

    expect((await deploy(node.url)).code).toBe(0);
    expect(node.engine.head.order).toBe(3n);
    expect(scoreOf(node)).toEqual({ score: SCORE });
    const { steps } = result();
    expect(steps['game']).toMatchObject({ address: ALICE, modules: ['game'] });
    expect(node.engine.objects.get(steps['game']!.objects['Registry']!)?.decoded).toEqual({ games: 1n });

    const before = readFileSync(join(folder, 'deploy.result.json'), 'utf8');
    const again = await deploy(node.url);
    expect(again.out).toContain('game: is there\nopened: is there\nscored: is there\nnothing is missing\n');
    expect(node.engine.head.order).toBe(3n);
    expect(readFileSync(join(folder, 'deploy.result.json'), 'utf8')).toBe(before);
  });
});

describe('a result', () => {
  const lock = (): string => join(folder, 'deploy.result.json.lock');

  it('is written by one run at a time; a second run is refused and told which process holds it', async () => {
    const node = await serve(origin.fork());
    let second: Promise<unknown> | undefined;
    /** Starts another run when the first one asks something, and answers when that has ended. */
    const url = await proxyOf(async (body) => {
      second ??= deployCommand.run([file, '--url', node.url, '--yes']).catch((thrown: unknown) => thrown);
      await second;
      return answerOf(node, body);
    });
    expect((await deploy(url)).code).toBe(0);
    expect(await second).toMatchObject({
      code: 'store-locked',
      message: expect.stringContaining(`process ${process.pid}, is writing it`),
    });
    expect([node.engine.head.order, existsSync(lock())]).toEqual([3n, false]);
  });

  it('of a killed run is taken over by the next run, and a failed run does not leave it locked', async () => {
    const node = await serve(origin.fork());
    // Linux numbers no thread so high.
    const ended = { ...thisThread(), pid: 2 ** 22 + 1, tid: 2 ** 22 + 1 };
    writeFileSync(lock(), JSON.stringify(ended));
    expect((await deploy(node.url)).code).toBe(0);
    write('deploy.json', STEPS.replace('[1, 2]', '[]'));
    await expect(deploy(node.url)).rejects.toThrow('scored');
    expect(existsSync(lock())).toBe(false);
  });

  it('that cannot be written is refused before anything is sent', async () => {
    const node = await serve(origin.fork());
    const { order } = node.engine.head;
    const out = join(folder, 'no-such-folder', 'result.json');
    await expect(deploy(node.url, '--out', out)).rejects.toThrow(
      /^--out: ENOENT.*; name a file in a folder that exists/,
    );
    expect(node.engine.head.order).toBe(order);
  });

  it('locked by another machine is left for its owner to unlock', async () => {
    const node = await serve(origin.fork());
    for (const text of [JSON.stringify({ ...thisThread(), place: 'elsewhere' }), '']) {
      writeFileSync(lock(), text);
      await expect(deploy(node.url)).rejects.toThrow(`remove ${lock()} if it runs no more`);
      expect(existsSync(lock())).toBe(true);
    }
    expect((await deploy(node.url, '--dry-run')).code).toBe(0);
  });
});

it('a changed module is an upgrade, and a new step is run alone', async () => {
  const node = await serve(origin.fork());
  await deploy(node.url);
  write('package/sources/game.move', SOURCE.replace(/}\n$/, '  public fun version(): u64 { 2 }\n}\n'));
  write('deploy.json', STEPS.replace(/\n}\n$/, MORE));
  const { code, out } = await deploy(node.url);
  expect(code).toBe(0);
  expect(out).toMatch(/^game: would upgrade game, .*\nopened: is there\nscored: is there\nmore: would call /);
  expect(node.engine.head.order).toBe(5n);
  expect(node.engine.view({ function: `${ALICE}::game::version` })).toEqual([2n]);
  expect(scoreOf(node)).toEqual({ score: SCORE + 4n });
  // What the first version made is still known by its name.
  expect(Object.keys(result().steps['game']!.objects)).toEqual(['Registry']);
});

it('two chains of one genesis, and one of another, each have every step once', async () => {
  const first = await serve(origin.fork());
  const second = await serve(origin.fork());
  await second.engine.executeAs(ALICE, { function: '0x3::empty::empty' });
  const other = await serve(await Engine.open({ chainId: 77n }));
  for (const node of [first, second, other, first, other, second]) {
    expect((await deploy(node.url)).code).toBe(0);
    expect(scoreOf(node)).toEqual({ score: SCORE });
    expect(result().chain.id).toBe(node === other ? '77' : '4');
  }
  // A fork has what the chain had, and goes its own way.
  const fork = await serve(first.engine.fork());
  write('deploy.json', STEPS.replace(/\n}\n$/, MORE));
  for (const node of [fork, first, fork, first]) expect((await deploy(node.url)).code).toBe(0);
  expect([first, second, other, fork].map(({ engine }) => engine.head.order)).toEqual([4n, 4n, 3n, 4n]);
});

it('what was published by other means is not published again', async () => {
  const node = await serve(origin.fork());
  await node.engine.publish(ALICE, await compile(join(folder, 'package'), { addresses: { game: ALICE } }));
  write('deploy.json', STEPS.replaceAll(`\${game.Registry}`, `${ALICE}::game::Registry`));
  const { out } = await deploy(node.url);
  expect(out).toMatch(/^game: is there\nopened: would call /);
  expect(node.engine.head.order).toBe(3n);
});

it('a step that fails ends the run, and is run again once it is mended', async () => {
  const node = await serve(origin.fork());
  write('deploy.json', STEPS.replace('[1, 2]', '[]'));
  const failed = await deploy(node.url);
  expect(failed.code).toBe(1);
  expect(failed.out).toMatch(/\nscored: transaction 3 failed: game::score by account 1, .*\n {2}aborted with code 7/);
  write('deploy.json', STEPS);
  expect((await deploy(node.url)).code).toBe(0);
  expect(node.engine.head.order).toBe(4n);
  expect(scoreOf(node)).toEqual({ score: SCORE });
  // On a test node it is found before anything is sent.
  const tested = await serve(origin.fork(), true);
  write('deploy.json', STEPS.replace('[1, 2]', '[]'));
  expect((await deploy(tested.url)).code).toBe(1);
  expect(tested.engine.head.order).toBe(0n);
});

it('a call that was run with other arguments is neither repeated nor skipped', async () => {
  const node = await serve(origin.fork());
  await deploy(node.url);
  write('deploy.json', STEPS.replace('[1, 2]', '[3]'));
  await expect(deploy(node.url)).rejects.toThrow(
    'scored: transaction 3 ran it with another function, sender or arguments',
  );
  expect(node.engine.head.order).toBe(3n);
});

it('the key of another account is taken from the environment', async () => {
  const node = await serve(origin.fork());
  const key = '5a'.repeat(32);
  const { address } = bitcoinSigner(key);
  await node.engine.dev.setBalance(address, 10n ** 10n);
  write(
    'deploy.json',
    STEPS.replace('"game": 0', `"game": "\${sender}"`).replace('"sender": 1', `"sender": "${address}"`),
  );
  await expect(deploy(node.url)).rejects.toThrow('is not known here');
  // Nothing is sent by who only looks.
  for (const dev of [true, false]) {
    const { code, out } = await deploy((await serve(node.engine.fork(), dev)).url, '--dry-run', '--sender', address);
    expect(code).toBe(0);
    expect(out).toMatch(/^game: would publish game, gas /);
  }
  expect(node.engine.head.order).toBe(1n);
  process.env['MOVELET_KEY'] = key;
  try {
    expect((await deploy(node.url)).code).toBe(0);
    process.env['MOVELET_KEY'] = 'secret';
    await expect(deploy(node.url)).rejects.toThrow(
      /^MOVELET_KEY: expected a private key of secp256k1 as 64 hexadecimal digits$/,
    );
  } finally {
    delete process.env['MOVELET_KEY'];
  }
  expect(result().steps['game']!.address).toBe(address);
  expect(scoreOf(node)).toEqual({ score: SCORE });
});

it.each([
  ['[]', 'expected steps by their ids'],
  ['{', 'expected steps by their ids'],
  ['{"a": {"publish": "package", "sendr": 1}}', 'a: expected publish, addresses, sender, got sendr'],
  ['{"a": {"run": "package"}}', 'a: expected {"publish": FOLDER} or {"call": FUNCTION}'],
  ['{"a": {"publish": 1}}', 'a: publish'],
  ['{"1": {"publish": "package"}}', '1: expected an id'],
  ['{"a": {"publish": "package"}, "a": {"publish": "package"}}', 'a is there twice'],
  [`{"a": {"call": "\${b}::game::open"}, "b": {"publish": "package"}}`, 'a: there is no earlier step b'],
  ['{"a": {"call": "game::open"}}', 'a: call: expected'],
  [
    `{"a": {"publish": "package", "addresses": {"game": 0}}, "b": {"call": "\${a.Gme}::x::y"}}`,
    `b: \${a.Gme}: a made Registry`,
  ],
])('a mistake in the file is named: %s', async (text, message) => {
  const node = await serve(origin.fork(), true);
  write('deploy.json', text);
  const error: unknown = await deploy(node.url).catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(UsageError);
  expect(String(error)).toContain(message);
});

describe.skipIf(!isBuilt)(`killed${note}`, () => {
  it.each([1, 2, 3].flatMap((sent) => [[sent, 'before'] as const, [sent, 'after'] as const]))(
    'at transaction %i, %s the node has it, and run again, each step is there once',
    async (sent, moment) => {
      const node = await serve(origin.fork());
      let left = sent;
      /** Passes requests on, and kills who asks. */
      const url = await proxyOf(async (body) => {
        const isLast = body.includes('rooch_executeRawTransaction') && --left === 0;
        const text = isLast && moment === 'before' ? undefined : await answerOf(node, body);
        if (!isLast) return text;
        child.kill('SIGKILL');
        return undefined;
      });
      const child = spawn(process.execPath, [cli, 'deploy', file, '--yes', '--url', url]);
      expect(await once(child, 'exit')).toEqual([null, 'SIGKILL']);
      expect(node.engine.head.order).toBe(BigInt(moment === 'before' ? sent - 1 : sent));

      expect((await deploy(node.url)).code).toBe(0);
      expect(node.engine.head.order).toBe(3n);
      expect(scoreOf(node)).toEqual({ score: SCORE });
      const once_ = await serve(origin.fork());
      const told = result().steps;
      expect((await deploy(once_.url)).code).toBe(0);
      expect(result().steps).toEqual(told);
    },
  );
});
