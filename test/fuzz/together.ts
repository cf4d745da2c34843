/**
 * `npm run fuzz:together [-- --minutes N --seed S --csv FILE]`: one served node on a directory, which follows a Bitcoin
 * node that lies, is attacked by all areas of served.ts at once, while a well-behaved client asks for its balance. Each
 * minute a line says how much memory the node takes, how long the client waited, and how many inputs there were. In the end
 * the node is left alone for two minutes and ended, and its directory verified. It fails if the node ended or did not
 * answer, if its directory is not sound, or if it holds more memory in the end than memory.ts allows.
 */
import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { appendFileSync, createWriteStream, mkdirSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { randomNumbers } from '../random.ts';
import type { Area } from './area.ts';
import { corpusOf, fuzz } from './fuzzer.ts';
import { lyingNode } from './lying-node.ts';
import { type HeldMemory, isBack, memoryText } from './memory.ts';
import { askNode, servedAreas } from './served.ts';

const SAMPLE_MS = 60_000;
const REST_SAMPLES = 2;
const CLI = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));

const TELL_MEMORY = new URL('tell-memory.mjs', import.meta.url).href;

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, seed: { type: 'string' }, csv: { type: 'string' } },
});
const minutes = Number(values.minutes);
const seed = values.seed === undefined ? Date.now() % 2 ** 31 : Number(values.seed);
const root = mkdtempSync(join(tmpdir(), 'movelet-together-'));
const csv = values.csv ?? join(root, 'samples.csv');
console.log(`seed ${seed}, ${minutes} minutes, in ${root}, samples in ${csv}`);

const bitcoin = await lyingNode(seed);
const data = join(root, 'data');
const serve = ['serve', '--data', data, '--durability', 'os', '--port', '0', '--quiet', '--dev'];
const node = spawn(process.execPath, ['--import', TELL_MEMORY, CLI, ...serve, '--bitcoin-rpc', bitcoin.url], {
  stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
});
node.stderr!.pipe(createWriteStream(join(root, 'stderr.log')));
const [line] = (await once(node.stdout!, 'data')) as [Buffer];
const port = Number(/:(\d+)\s*$/.exec(String(line))![1]);

const client = spawn(
  process.execPath,
  [...process.execArgv, fileURLToPath(new URL('quiet-client.ts', import.meta.url)), `${port}`],
  { stdio: ['ignore', 'pipe', 'inherit'] },
);
let latencies = '';
client.stdout!.on('data', (text) => {
  latencies = String(text).trim();
});

const isAlive = ({ exitCode, signalCode }: ChildProcess): boolean => exitCode === null && signalCode === null;
const counts: Record<string, number> = {};
const found: string[] = [];
let isOver = false;

/** What breaks the node is kept, and the area goes on as long as the node does. */
async function attack(name: string, area: Area): Promise<void> {
  const known = [...corpusOf(name).values()];
  for (let round = 0; !isOver && isAlive(node); round++) {
    const trial = join(root, `last-${name}`);
    const result = await fuzz(
      area,
      round === 0 ? known : [],
      randomNumbers(seed + round),
      () => isOver || !isAlive(node),
      (input) => {
        counts[name] = (counts[name] ?? 0) + 1;
        writeFileSync(trial, input);
      },
    );
    if (result.found === undefined || isOver) return;
    const file = join(root, `${name}-${createHash('sha256').update(result.found.input).digest('hex').slice(0, 16)}`);
    writeFileSync(file, result.found.input);
    found.push(file);
    console.error(`${name}: broken by ${file}`, result.found.error);
    // A node that is gone, or is busy for long, is not asked again at once.
    await sleep(1_000);
  }
}

function sample(minute: number): void {
  const status = isAlive(node) ? readFileSync(`/proc/${node.pid}/status`, 'utf8') : '';
  const megabytes = (name: string): number =>
    Math.round(Number(new RegExp(`${name}:\\s+(\\d+)`).exec(status)?.[1]) / 1024);
  const row = `${minute};${megabytes('VmRSS')};${megabytes('VmHWM')};${latencies};${JSON.stringify(counts)};${found.length}`;
  appendFileSync(csv, `${row}\n`);
  console.log(row);
}

/** What the node holds after a collection; nothing if it is gone. */
async function heldByNode(): Promise<HeldMemory | undefined> {
  if (!isAlive(node)) return undefined;
  node.send('memory');
  const told = await Promise.race([once(node, 'message'), once(node, 'exit').then(() => undefined)]);
  return told?.[0] as HeldMemory | undefined;
}

mkdirSync(root, { recursive: true });
const areas = await servedAreas(port);
// Caches, and code that is loaded when it is first needed, count towards the start.
for (const area of Object.values(areas)) await fuzz(area, [], randomNumbers(seed), () => true);
const start = await heldByNode();
sample(0);
const begun = performance.now();
const attacks = Promise.all(Object.entries(areas).map(([name, area]) => attack(name, area)));
let minute = 0;
while (performance.now() - begun < minutes * 60_000 && isAlive(node) && isAlive(client)) {
  await sleep(Math.min(SAMPLE_MS, minutes * 60_000));
  sample(++minute);
}
isOver = true;
await attacks;
for (let rest = 0; rest < REST_SAMPLES; rest++) {
  await sleep(Math.min(SAMPLE_MS, minutes * 60_000));
  sample(++minute);
}
// Forks remember what the chain has replaced since, until their clients drop them.
const { id: lastFork } = (await askNode(port, 'dev_fork')) as { readonly id: string };
for (let id = 1; id <= Number(lastFork); id++) await askNode(port, 'dev_dropFork', [id]);
const end = await heldByNode();
const [nodeHeld, clientHeld] = [isAlive(node), isAlive(client)];
client.kill();
node.kill('SIGTERM');
const [code, signal] = isAlive(node) ? await once(node, 'exit') : [node.exitCode, node.signalCode];
await bitcoin.close();
const verified = spawnSync(process.execPath, [CLI, 'verify', data], { encoding: 'utf8' });
console.log(
  `node ${nodeHeld ? 'alive' : 'gone'} (${code ?? signal}), client ${clientHeld ? 'answered' : 'not answered'}`,
);
console.log(`verify: ${verified.status}\n${verified.stdout}${verified.stderr}`);
const wasBack = start !== undefined && end !== undefined && isBack(start, end);
if (start !== undefined && end !== undefined)
  console.log(`at the start: ${memoryText(start)}\nin the end: ${memoryText(end)}${wasBack ? '' : ': too much'}`);
process.exit(nodeHeld && clientHeld && verified.status === 0 && found.length === 0 && wasBack ? 0 : 1);
