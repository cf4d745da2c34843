/**
 * A real Bitcoin Core node (or one of its derivatives) on regtest, in a directory of its own, with a wallet. Found as
 * `bitcoind` on the path, or by MOVELET_BITCOIND.
 */
import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { reservedPort } from '../../reserved-port.ts';

const { MOVELET_BITCOIND = 'bitcoind' } = process.env;

/** What `bitcoind --version` says first; undefined where there is none. */
export const nodeVersion: string | undefined = versionOf(MOVELET_BITCOIND);

function versionOf(program: string): string | undefined {
  try {
    return execFileSync(program, ['--version'], { encoding: 'utf8' }).split('\n')[0];
  } catch {
    return undefined;
  }
}

const START_MILLISECONDS = 60_000;

export class RealNode {
  readonly port: number;
  readonly #directory: string;
  readonly #process: ChildProcess;

  private constructor(port: number, directory: string) {
    this.port = port;
    this.#directory = directory;
    const options = [
      '-regtest',
      `-datadir=${directory}`,
      `-rpcport=${port}`,
      '-server',
      '-listen=0',
      '-fallbackfee=0.0001',
    ];
    this.#process = spawn(MOVELET_BITCOIND, options, { stdio: 'ignore' });
  }

  /** Starts a node with an empty chain; resolves when it answers. */
  static async start(): Promise<RealNode> {
    const node = new RealNode(await reservedPort(), mkdtempSync(join(tmpdir(), 'movelet-bitcoind-')));
    const end = Date.now() + START_MILLISECONDS;
    for (;;) {
      try {
        await node.call('createwallet', 'test');
        return node;
      } catch (error) {
        if (Date.now() > end || node.#process.exitCode !== null) throw error;
        await new Promise((resolve) => setTimeout(resolve, 100));
      }
    }
  }

  /** `user:password`, as the node wrote them when it started. */
  get credentials(): string {
    return readFileSync(join(this.#directory, 'regtest', '.cookie'), 'utf8').trim();
  }

  /** The result of a method; its error is thrown. */
  async call<Result>(method: string, ...params: readonly unknown[]): Promise<Result> {
    const response = await fetch(`http://127.0.0.1:${this.port}/`, {
      method: 'POST',
      headers: { authorization: `Basic ${btoa(this.credentials)}` },
      body: JSON.stringify({ jsonrpc: '1.0', id: 1, method, params }),
    });
    const { result, error } = (await response.json()) as { result: Result; error: { message: string } | null };
    if (error !== null) throw new Error(`${method}: ${error.message}`);
    return result;
  }

  async stop(): Promise<void> {
    const ended = once(this.#process, 'exit');
    this.#process.kill();
    await ended;
    rmSync(this.#directory, { recursive: true, force: true });
  }
}
