import { type ChildProcessWithoutNullStreams, spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { cli } from './built.ts';

/** A node in a process of its own that listens on a free port, and its address. */
export interface NodeProcess {
  readonly node: ChildProcessWithoutNullStreams;
  readonly url: string;
}

export async function listening(...args: string[]): Promise<NodeProcess> {
  const node = spawn(process.execPath, [cli, ...args, '--port', '0', '--quiet']);
  const [line] = (await once(createInterface(node.stdout), 'line')) as [string];
  return { node, url: line.replace('listening on ', '') };
}

/** The result of a JSON-RPC request. */
export async function ask(url: string, method: string, ...params: unknown[]): Promise<unknown> {
  const response = await fetch(url, {
    method: 'POST',
    body: JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }),
    headers: { 'content-type': 'application/json' },
  });
  return ((await response.json()) as { result: unknown }).result;
}

/** Resolves once the process has ended by the signal. */
export async function ended(node: ChildProcessWithoutNullStreams, signal: NodeJS.Signals): Promise<void> {
  node.kill(signal);
  await once(node, 'exit');
}
