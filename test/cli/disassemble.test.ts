import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, describe, expect, it } from 'vitest';
import { toHexPrefixed } from '../../src/base/bytes/bytes.ts';
import { disassembleCommand } from '../../src/cli/packages.ts';
import { FRAMEWORK_PACKAGES } from '../../src/execution/framework/framework.ts';
import { temporaryDirectories } from '../store/temporary.ts';
import { ran } from './ran.ts';

const temporary = temporaryDirectories();
let directory = '';
beforeEach(() => {
  directory = temporary();
});

async function disassemble(content: Uint8Array | string): Promise<string> {
  const path = join(directory, 'module');
  writeFileSync(path, content);
  return (await ran(disassembleCommand, path)).out;
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
