/** `movelet stdio` as the child of a program that does not read what it asked for. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, existsSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { describe, expect, it, onTestFinished } from 'vitest';
import { request } from '../server/transport/echo-handler.ts';
import { cli, isBuilt, note } from './built.ts';

const hasFull = existsSync('/dev/full');

describe.skipIf(!isBuilt)(`a node on standard input and output${note}`, () => {
  it('ends on a signal although its answers are not read', async () => {
    const child = spawn(process.execPath, [cli, 'stdio'], { stdio: ['pipe', 'pipe', 'inherit'] });
    child.stdin.on('error', () => {});
    // More than the pipes on both sides hold: then the node stops reading.
    const flood = `${request('rpc.discover')}\n`.repeat(20_000);
    child.stdin.write(flood);
    await once(child.stdout, 'readable');
    expect(child.stdin.writableLength).toBeGreaterThan(0);
    const exited = once(child, 'exit');
    child.kill('SIGTERM');
    expect(await exited).toEqual([0, null]);
    child.stdout.destroy();
  });

  it.skipIf(!hasFull)(
    `says in one line why its answers could not be written, also after a signal${hasFull ? '' : ' (skipped: there is no /dev/full)'}`,
    async () => {
      const directory = mkdtempSync(join(tmpdir(), 'movelet-stdio-'));
      onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
      const [gate, held] = [join(directory, 'gate.mjs'), join(directory, 'held')];
      writeFileSync(gate, gateOf(held));
      const full = openSync('/dev/full', 'w');
      const args = ['--import', pathToFileURL(gate).href, cli, 'stdio'];
      const child = spawn(process.execPath, args, { stdio: ['pipe', full, 'pipe'] });
      closeSync(full);
      let said = '';
      child.stderr!.on('data', (text: Buffer) => {
        said += text.toString();
      });
      child.stdin!.on('error', () => {});
      const fund = request('dev_fund', ['0x42', '0x3::gas_coin::RGas', '7']);
      child.stdin!.write(`${fund}\n`.repeat(300));
      const ended = once(child, 'close');
      // It listens for signals before it reads.
      while (child.exitCode === null && !existsSync(held)) await nextTurn();
      child.kill('SIGTERM');
      expect(await ended).toEqual([1, null]);
      expect(said).toBe('movelet: cannot write answers: ENOSPC: no space left on device, write\n');
    },
  );
});

/** Has a program make the file `held` when it first writes to its output, and write only after SIGTERM. */
const gateOf = (held: string): string => `
  import { writeFileSync } from 'node:fs';
  const { stdout } = process;
  const write = stdout._write;
  stdout._write = function (...given) {
    stdout._write = write;
    process.once('SIGTERM', () => setImmediate(() => write.apply(this, given)));
    writeFileSync(${JSON.stringify(held)}, '');
  };
`;

const nextTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve, 1));
