/**
 * A cluster on one machine: PostgreSQL with a synchronous standby, a writer, a second writer that takes over, two readers.
 * The primary is killed, then another writer takes over; no payment is lost. Without PostgreSQL, the log is a directory.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFileSync, spawn, spawnSync } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { chownSync, existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DEV_ACCOUNTS, Engine, EngineError } from 'movelet';
import { type CommitLog, openDirectoryLog } from 'movelet/log';

/** Where Debian's PostgreSQL 15 package installs its programs. */
const PROGRAMS = '/usr/lib/postgresql/15/bin';
const directory = mkdtempSync(join(tmpdir(), 'movelet-failover-'));
const processes: ChildProcess[] = [];
// Without this, PostgreSQL would keep running if something fails.
process.once('exit', () => {
  for (const server of processes) server.kill('SIGKILL');
});
const bob = DEV_ACCOUNTS[1]!.address;

/** PostgreSQL refuses to run as root: in that case the user of Debian's package runs it. */
function user(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
  return { uid: id('-u'), gid: id('-g') };
}

/** Runs one of PostgreSQL's programs and waits for it to finish. */
function run(program: string, ...args: readonly string[]): void {
  const { status, stderr } = spawnSync(join(PROGRAMS, program), args, { cwd: tmpdir(), encoding: 'utf8', ...user() });
  assert.equal(status, 0, `${program}: ${stderr}`);
}

async function start(data: string, port: number, ...settings: readonly string[]): Promise<ChildProcess> {
  const all = [`port=${port}`, 'listen_addresses=127.0.0.1', `unix_socket_directories=${directory}`, ...settings];
  const args = ['-D', data, ...all.flatMap((setting) => ['-c', setting])];
  const server = spawn(join(PROGRAMS, 'postgres'), args, {
    cwd: tmpdir(),
    stdio: ['ignore', 'ignore', 'pipe'],
    ...user(),
  });
  processes.push(server);
  for await (const text of server.stderr!) if (String(text).includes('ready to accept')) break;
  return server;
}

/** A port that nothing listens on, below those that systems give to clients: it is still free when its server starts. */
async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(20_000, 32_768);
    const server = createServer().listen(port, '127.0.0.1');
    try {
      await once(server, 'listening');
    } catch {
      continue;
    }
    await new Promise((resolve) => server.close(resolve));
    return port;
  }
}

/** An address that can be moved from one server to another, as a host name or a load balancer would be. */
async function movingAddress(port: number) {
  const sockets = new Set<Socket>();
  let target = port;
  const proxy = createServer((client) => {
    const server = connect(target, '127.0.0.1');
    for (const [one, other] of [
      [client, server],
      [server, client],
    ] as const) {
      sockets.add(one);
      one.on('error', () => other.destroy()).on('close', () => other.destroy());
      one.pipe(other);
    }
  }).listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  return {
    port: (proxy.address() as AddressInfo).port,
    move: (to: number) => {
      target = to;
    },
    close: () => {
      for (const socket of sockets) socket.destroy();
      proxy.close();
    },
  };
}

interface Cluster {
  readonly openLog: () => Promise<CommitLog>;
  /** Kills the machine that holds the log, and brings the log back elsewhere. */
  readonly failOver: (() => Promise<void>) | undefined;
  readonly close: () => void;
}

/** A primary and a standby that has every acknowledged commit on its disk. */
async function postgresCluster(): Promise<Cluster> {
  const { openPostgresLog } = await import('movelet/log');
  const owner = user();
  if (owner !== undefined) chownSync(directory, owner.uid, owner.gid);
  const [first, second] = [join(directory, 'first'), join(directory, 'second')];
  const [firstPort, secondPort] = [await freePort(), await freePort()];
  run('initdb', '-D', first, '-U', 'movelet', '-A', 'trust', '-N');
  let primary = await start(first, firstPort);
  const conninfo = `host=127.0.0.1 port=${firstPort} user=movelet application_name=second`;
  run('pg_basebackup', '-D', second, '-d', conninfo, '-R', '-c', 'fast');
  await start(second, secondPort, `primary_conninfo=${conninfo}`);
  primary.kill('SIGINT');
  await once(primary, 'exit');
  primary = await start(first, firstPort, 'synchronous_standby_names=second');
  const address = await movingAddress(firstPort);
  const url = `postgres://movelet@127.0.0.1:${address.port}/postgres`;
  return {
    openLog: () => openPostgresLog(url),
    failOver: async () => {
      primary.kill('SIGKILL');
      await once(primary, 'exit');
      run('pg_ctl', 'promote', '-w', '-D', second);
      address.move(secondPort);
    },
    close: address.close,
  };
}

function directoryCluster(): Cluster {
  console.log(
    `no PostgreSQL in ${PROGRAMS} (apt-get install postgresql): the log is a directory, and does not fail over`,
  );
  mkdirSync(join(directory, 'log'));
  return { openLog: () => openDirectoryLog(join(directory, 'log')), failOver: undefined, close: () => {} };
}

const cluster = existsSync(PROGRAMS) ? await postgresCluster() : directoryCluster();
const writer = await Engine.open({ commitLog: await cluster.openLog() });
const readers = [
  await Engine.open({ commitLog: await cluster.openLog(), role: 'reader' }),
  await Engine.open({ commitLog: await cluster.openLog(), role: 'reader', reexecute: 'all' }),
];

const receipts: { readonly order: bigint; readonly hash: unknown }[] = [];
async function pay(engine: Engine): Promise<void> {
  const payment = {
    function: '0x3::transfer::transfer_coin',
    typeArguments: ['0x3::gas_coin::RGas'],
    arguments: [bob, 1n],
  };
  const receipt = await engine.executeAs(engine.accounts[0]!.address, payment);
  receipts.push(receipt);
  await Promise.all(readers.map((reader) => reached(reader, receipt.order)));
}

/** `waitFor` gives up after five seconds, and a reader may need longer to find the log where it is now. */
async function reached(reader: Engine, order: bigint): Promise<void> {
  for (;;) {
    try {
      return await reader.waitFor(order);
    } catch (error) {
      if (!(error instanceof EngineError) || error.code !== 'behind') throw error;
    }
  }
}

await pay(writer);
console.log(`order ${writer.head.order} is in the log and on both readers`);

if (cluster.failOver !== undefined) {
  await cluster.failOver();
  // The writer finds out which commits the standby has, and continues.
  await pay(writer);
  console.log(`the primary was killed and its standby promoted: the same writer wrote order ${writer.head.order}`);
}

const successor = await Engine.open({ commitLog: await cluster.openLog() });
await assert.rejects(pay(writer), { code: 'fenced' });
await pay(successor);
console.log(
  `another writer took over and wrote order ${successor.head.order}; the first one is ${writer.status().log!.state}`,
);

for (const engine of [successor, ...readers]) {
  assert.equal(engine.head.stateRoot, successor.head.stateRoot);
  for (const { order, hash } of receipts) assert.equal(engine.transactions.get(order)?.hash, hash);
}
console.log(`all ${receipts.length} payments are on all nodes, with the same state root`);

for (const engine of [successor, ...readers, writer]) await engine.close();
cluster.close();
for (const server of processes) {
  if (server.exitCode !== null || server.signalCode !== null) continue;
  server.kill('SIGINT');
  await once(server, 'exit');
}
rmSync(directory, { recursive: true, force: true, maxRetries: 5 });
