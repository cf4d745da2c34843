/** `movelet stdio` as the child of a program that does not read what it asked for. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { describe, expect, it } from 'vitest';
import { request } from '../transport/echo-handler.ts';

const cli = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
const isBuilt = existsSync(cli);
const note = isBuilt ? '' : ' (skipped: dist is not built; npm test builds it)';

describe.skipIf(!isBuilt)(`a node on standard input and output${note}`, () => {
  it('ends on a signal although its answers are not read', { timeout: 120_000 }, async () => {
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
});
