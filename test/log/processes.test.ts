/**
 * Nodes in processes of their own that share a log: killed without warning, superseded, followed. Judged by what clients
 * were told: what was acknowledged is in the chain once, at the order stated, whatever was killed.
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, describe, expect, it } from 'vitest';
import { DEV_ACCOUNTS } from '../../src/execution/framework/accounts.ts';
import { NO_POSTGRES, PostgresServer, postgresNote } from './postgres-server.ts';

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const isBuilt = existsSync(cli);
const [alice, bob] = DEV_ACCOUNTS;

interface Told {
  readonly order: string;
  readonly hash: string;
}

class Node {
  readonly child: ChildProcess;
  readonly #url: Promise<string>;
  said = '';

  constructor(...args: readonly string[]) {
    this.child = spawn(process.execPath, [cli, 'serve', '--port', '0', '--quiet', ...args], {
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    this.#url = new Promise((resolve, reject) => {
      this.child.stdout!.setEncoding('utf8').on('data', (text: string) => {
        const url = /listening on (\S+)/.exec(text)?.[1];
        if (url !== undefined) resolve(url);
      });
      this.child.stderr!.setEncoding('utf8').on('data', (text: string) => {
        this.said += text;
      });
      this.child.once('exit', () => reject(new Error(`the node ended: ${this.said}`)));
    });
    this.#url.catch(() => {});
  }

  get url(): Promise<string> {
    return this.#url;
  }

  async ask(method: string, params: readonly unknown[], minOrder?: string): Promise<unknown> {
    const headers = {
      'content-type': 'application/json',
      ...(minOrder !== undefined && { 'x-movelet-min-order': minOrder }),
    };
    const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method, params });
    for (;;) {
      const response = await fetch(await this.#url, { method: 'POST', headers, body });
      const { error, result } = (await response.json()) as {
        readonly error?: { readonly data?: { readonly code?: string } };
        readonly result?: unknown;
      };
      if (error === undefined) return result;
      // A node waits some seconds for an order, and a busy machine may take longer.
      if (minOrder === undefined || error.data?.code !== 'behind') throw new Error(JSON.stringify(error));
    }
  }

  /** Moves a coin; returns what the client was told. */
  async pay(): Promise<Told> {
    const call = {
      function_id: '0x3::transfer::transfer_coin',
      ty_args: ['0x3::gas_coin::RGas'],
      arguments: [bob!.address, '1'],
    };
    const { sequence_info: place, execution_info: info } = (await this.ask('dev_call', [alice!.address, call])) as {
      readonly sequence_info: { readonly tx_order: string };
      readonly execution_info: { readonly tx_hash: string };
    };
    return { order: place.tx_order, hash: info.tx_hash };
  }

  async status(): Promise<{ readonly order: string; readonly root: string; readonly log: Record<string, unknown> }> {
    const { chain_status: chain, log_status: log } = (await this.ask('chain_status', [])) as {
      readonly chain_status: {
        readonly sequencer_info: { readonly last_order: string };
        readonly root_state: { readonly state_root: string };
      };
      readonly log_status: Record<string, unknown>;
    };
    return { order: chain.sequencer_info.last_order, root: chain.root_state.state_root, log };
  }

  async kill(): Promise<void> {
    if (this.child.exitCode !== null || this.child.signalCode !== null) return;
    this.child.kill('SIGKILL');
    await once(this.child, 'exit');
  }
}

describe.skipIf(!isBuilt)(`nodes that share a log${isBuilt ? '' : ' (skipped: dist is not built)'}`, () => {
  const directory = mkdtempSync(join(tmpdir(), 'movelet-nodes-'));
  const nodes: Node[] = [];
  let servers: PostgresServer[] = [];
  afterEach(async () => {
    for (const node of nodes.splice(0)) await node.kill();
    for (const server of servers) await server.remove();
    servers = [];
    rmSync(directory, { recursive: true, force: true });
  });

  function start(...args: readonly string[]): Node {
    const node = new Node(...args);
    nodes.push(node);
    return node;
  }

  /** Payments under way: the first acknowledged, and all acknowledged in the end. */
  function pays(node: Node): { readonly first: Promise<Told>; readonly all: Promise<readonly Told[]> } {
    const payments = Array.from({ length: 8 }, () => node.pay());
    const all = Promise.allSettled(payments).then((results) =>
      results.flatMap((result) => (result.status === 'fulfilled' ? [result.value] : [])),
    );
    return { first: Promise.any(payments), all };
  }

  /** What clients were told is in the chain of `node`, once, at the order stated. */
  async function holds(node: Node, told: readonly Told[]): Promise<void> {
    const last = Math.max(...told.map(({ order }) => Number(order)));
    await node.ask('chain_getChainID', [], String(last));
    expect(new Set(told.map(({ order }) => order)).size).toBe(told.length);
    for (const { order, hash } of told) {
      const [found] = (await node.ask('chain_getTransactionsByHash', [[hash]])) as readonly {
        readonly sequence_info: { readonly tx_order: string };
      }[];
      expect(found?.sequence_info.tx_order, `order ${order}`).toBe(order);
    }
  }

  it('a writer and a reader are killed at work, and a standby node takes over', async () => {
    const log = join(directory, 'log');
    const data = (name: string): string[] => ['--data', join(directory, name), '--log', log];
    let writer = start('--dev', ...data('writer'));
    const told: Told[] = [await writer.pay()];
    const url = await writer.url;
    const standby = start('--dev', ...data('standby'), '--wait-for-turn', '--writer-url', url);
    let reader = start(...data('reader'), '--role', 'reader', '--writer-url', url);
    await reader.ask('chain_getChainID', [], told[0]!.order);

    // Killed with payments under way: those that were not acknowledged may be in or not.
    for (let round = 0; round < 2; round++) {
      const { first, all } = pays(writer);
      await first;
      await reader.kill();
      told.push(...(await all));
      reader = start(...data('reader'), '--role', 'reader', '--writer-url', url);
    }
    const { first, all } = pays(writer);
    await first;
    await writer.kill();
    told.push(...(await all));
    // The standby answers as soon as it writes.
    told.push(await standby.pay());
    expect((await standby.status()).log).toMatchObject({ role: 'writer', state: 'writing', epoch: '2' });
    const acknowledged = [...told];
    await holds(standby, acknowledged);
    await holds(reader, acknowledged);

    // The first one comes back with its own store and is the writer again; the other finds out with its next payment.
    writer = start('--dev', ...data('writer'));
    acknowledged.push(await writer.pay());
    await expect(standby.pay()).rejects.toThrow(/fenced/);
    expect((await standby.status()).log).toMatchObject({ state: 'fenced' });
    await holds(reader, acknowledged);
    await holds(writer, acknowledged);
    expect(await reader.status()).toMatchObject({ root: (await writer.status()).root });
    await expect(reader.pay()).rejects.toThrow(/-32601|dev_call/);

    // One that forwards gives the writer's receipt, and has the commit when it does.
    const front = start('--dev', '--log', log, '--role', 'reader', '--writer-url', await writer.url, '--forward');
    const receipt = await front.pay();
    expect((await front.status()).order).toBe(receipt.order);
    await holds(writer, [...acknowledged, receipt]);
  });

  it('a writer is stopped in the middle of its work and wakes up after its successor has taken over', async () => {
    const log = join(directory, 'log');
    const zombie = start('--dev', '--log', log);
    const told: Told[] = [await zombie.pay()];
    const { first, all } = pays(zombie);
    await first;
    zombie.child.kill('SIGSTOP');
    const successor = start('--dev', '--log', log);
    told.push(await successor.pay());
    zombie.child.kill('SIGCONT');
    told.push(...(await all));
    await expect(zombie.pay()).rejects.toThrow(/fenced/);
    told.push(await successor.pay());
    const reader = start('--log', log, '--role', 'reader');
    await holds(successor, told);
    await holds(reader, told);
    expect((await reader.status()).root).toBe((await successor.status()).root);
  });

  it.skipIf(NO_POSTGRES !== undefined)(
    `a primary is killed, and its synchronous standby holds all that was acknowledged${postgresNote}`,
    async () => {
      const primary = await PostgresServer.create();
      servers.push(primary);
      const second = await PostgresServer.standby(primary, 'second');
      servers.push(second);
      await primary.kill();
      await primary.start(['synchronous_standby_names=second']);
      const writer = start('--dev', '--log', primary.url);
      const told: Told[] = [];
      for (let payment = 0; payment < 5; payment++) told.push(await writer.pay());
      const { first, all } = pays(writer);
      await first;
      await primary.kill();
      await second.promote();
      await writer.kill();
      told.push(...(await all));
      const next = start('--dev', '--log', second.url);
      const reader = start('--log', second.url, '--role', 'reader');
      const acknowledged = [...told];
      await holds(next, acknowledged);
      acknowledged.push(await next.pay());
      await holds(reader, acknowledged);
      expect((await reader.status()).root).toBe((await next.status()).root);
    },
  );
});
