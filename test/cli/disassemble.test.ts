import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { toHexPrefixed } from '../../src/base/bytes/bytes.ts';
import { disassembleCommand } from '../../src/cli/packages.ts';
import { FRAMEWORK_PACKAGES } from '../../src/execution/framework/framework.ts';

let directory = '';
beforeEach(() => {
  directory = mkdtempSync(join(tmpdir(), 'movelet-disassemble-'));
});
afterEach(() => {
  vi.restoreAllMocks();
  rmSync(directory, { recursive: true, force: true });
});

async function disassemble(content: Uint8Array | string): Promise<string> {
  const path = join(directory, 'module');
  writeFileSync(path, content);
  let written = '';
  vi.spyOn(process.stdout, 'write').mockImplementation((text) => {
    written += String(text);
    return true;
  });
  await disassembleCommand.run([path]);
  return written;
}

describe('movelet disassemble', () => {
  it('reads bytes and hex alike', async () => {
    const { bytes: code } = FRAMEWORK_PACKAGES[0]!.modules[0]!;
    const text = await disassemble(code);
    expect(text).toMatch(/^version \d\nmodule 0x1::/);
    expect(await disassemble(`${toHexPrefixed(code)}\n`)).toBe(text);
    expect(await disassemble(toHexPrefixed(code).slice(2))).toBe(text);
  });

  it.each([
    ['nothing', ''],
    ['text', 'hello world'],
    ['half a byte of hex', 'a11ceb0'],
    ['hex of any length', 'a'.repeat(20_000_000)],
  ])('names what is not a module: %s', async (_what, content) => {
    await expect(disassemble(content)).rejects.toMatchObject({ name: 'EngineError' });
  });
});
