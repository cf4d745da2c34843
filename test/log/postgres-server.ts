/**
 * A PostgreSQL of its own for a test: in a temporary directory, on loopback, without a password, as a user who is not root.
 * @module
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { chownSync, existsSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { reservedPort } from '../reserved-port.ts';

const DEBIAN = '/usr/lib/postgresql';

/** Where its programs are; or a sentence saying that there are none. */
function find(): { readonly bin: string } | { readonly reason: string } {
  const versions = existsSync(DEBIAN) ? readdirSync(DEBIAN).sort((left, right) => Number(right) - Number(left)) : [];
  const bin = versions
    .map((version) => join(DEBIAN, version, 'bin'))
    .find((path) => existsSync(join(path, 'postgres')));
  if (bin === undefined) return { reason: `no PostgreSQL in ${DEBIAN} (apt-get install postgresql)` };
  if (process.getuid?.() === 0 && owner() === undefined)
    return { reason: 'root starts no PostgreSQL, and there is no user postgres' };
  return { bin };
}

/** Root hands the server to the user that Debian's package makes. */
function owner(): { readonly uid: number; readonly gid: number } | undefined {
  if (process.getuid?.() !== 0) return undefined;
  try {
    const id = (flag: string): number => Number(execFileSync('id', [flag, 'postgres'], { encoding: 'utf8' }));
    return { uid: id('-u'), gid: id('-g') };
  } catch {
    return undefined;
  }
}

const found = find();

/** Why tests with a PostgreSQL are skipped; undefined if they are not. */
export const NO_POSTGRES: string | undefined = 'reason' in found ? found.reason : undefined;
/** For the names of tests that want one. */
export const postgresNote: string = NO_POSTGRES === undefined ? '' : ` (skipped: ${NO_POSTGRES})`;
if (NO_POSTGRES !== undefined) process.stderr.write(`tests with PostgreSQL are skipped: ${NO_POSTGRES}\n`);

export class PostgresServer {
  readonly port: number;
  readonly #root: string;
  #process: ChildProcess | undefined;

  private constructor(root: string, port: number) {
    this.#root = root;
    this.port = port;
  }

  /** A new, empty, running server. */
  static async create(settings: readonly string[] = []): Promise<PostgresServer> {
    const server = await PostgresServer.#prepared();
    await run('initdb', ['-D', server.#data, '-U', 'movelet', '-A', 'trust', '-E', 'UTF8', '--no-locale', '-N']);
    await server.start(settings);
    return server;
  }

  /** A standby that follows `primary`, under this name; it runs. */
  static async standby(primary: PostgresServer, name: string): Promise<PostgresServer> {
    const server = await PostgresServer.#prepared();
    const from = `host=127.0.0.1 port=${primary.port} user=movelet application_name=${name}`;
    await run('pg_basebackup', ['-D', server.#data, '-d', from, '-R', '-X', 'stream', '-c', 'fast']);
    await server.start([`primary_conninfo=${from}`]);
    return server;
  }

  static async #prepared(): Promise<PostgresServer> {
    const root = mkdtempSync(join(tmpdir(), 'movelet-postgres-'));
    const user = owner();
    if (user !== undefined) chownSync(root, user.uid, user.gid);
    return new PostgresServer(root, await reservedPort());
  }

  get #data(): string {
    return join(this.#root, 'data');
  }

  get url(): string {
    return `postgres://movelet@127.0.0.1:${this.port}/postgres`;
  }

  async start(settings: readonly string[] = []): Promise<void> {
    // Processes of a server that was killed may still be about to end.
    while (!(await this.#started(settings)));
  }

  /** False if another server still has the directory. */
  async #started(settings: readonly string[]): Promise<boolean> {
    const all = [
      `port=${this.port}`,
      'listen_addresses=127.0.0.1',
      `unix_socket_directories=${this.#root}`,
      ...settings,
    ];
    const child = spawn(
      join(binaries(), 'postgres'),
      ['-D', this.#data, ...all.flatMap((setting) => ['-c', setting])],
      {
        stdio: ['ignore', 'ignore', 'pipe'],
        cwd: this.#root,
        ...owner(),
      },
    );
    this.#process = child;
    let said = '';
    child.stderr!.setEncoding('utf8').on('data', (text: string) => {
      said = (said + text).slice(-4_000);
    });
    while (!said.includes('ready to accept')) {
      if (said.includes('shared memory block') && child.exitCode !== null) return false;
      if (child.exitCode !== null) throw new Error(`PostgreSQL did not start: ${said}`);
      await wait(20);
    }
    return true;
  }

  /** Ends all of its processes at once, as a loss of power would. */
  async kill(): Promise<void> {
    const child = this.#process;
    if (child?.exitCode !== null || child.pid === undefined) return;
    // The processes that the postmaster leaves behind notice and end, as PostgreSQL has it on a kill.
    child.kill('SIGKILL');
    await once(child, 'exit');
    this.#process = undefined;
  }

  /** Makes a standby the primary. */
  async promote(): Promise<void> {
    await run('pg_ctl', ['promote', '-w', '-D', this.#data]);
  }

  async remove(): Promise<void> {
    const child = this.#process;
    if (child !== undefined && child.exitCode === null) {
      child.kill('SIGINT');
      await once(child, 'exit');
    }
    rmSync(this.#root, { recursive: true, force: true, maxRetries: 5 });
  }
}

function binaries(): string {
  if ('reason' in found) throw new Error(found.reason);
  return found.bin;
}

async function run(program: string, args: readonly string[]): Promise<void> {
  const child = spawn(join(binaries(), program), args, {
    stdio: ['ignore', 'pipe', 'pipe'],
    cwd: tmpdir(),
    ...owner(),
  });
  let said = '';
  for (const stream of [child.stdout!, child.stderr!]) {
    stream.setEncoding('utf8').on('data', (text: string) => {
      said += text;
    });
  }
  const [code] = (await once(child, 'close')) as [number | null];
  if (code !== 0) throw new Error(`${program} ended with ${code}: ${said}`);
}
