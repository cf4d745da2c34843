import { describe, expect, it, vi } from 'vitest';
import { instantiate, WasmFunction } from '../../src/hash/wasm.ts';

/** to = 3 * (left + 2^33) - 5, of which the low 32 bits are stored; and the same by way of a call. */
function functions(): Record<'direct' | 'called', WasmFunction> {
  const direct = new WasmFunction(2);
  const sum = direct.local();
  direct
    .load32(1, 4)
    .constant(1n << 33n)
    .operate('add')
    .set(sum);
  direct.store32(0, 8, () => direct.get(sum).constant(3n).operate('mul').constant(5n).operate('sub'));
  const called = new WasmFunction(2).address(0, 4).address(undefined, 128).call(0);
  return { direct, called };
}

describe('a WebAssembly module', () => {
  it('does what its instructions say, on its own memory', () => {
    const { memory, functions: made } = instantiate(functions(), 1)!;
    expect(memory.byteLength).toBe(65_536);
    const words = new Uint32Array(memory);
    words[33] = 0xffff_fff0;
    made.direct(0, 128);
    expect(words[2]).toBe(Number((3n * 0xffff_fff0n - 5n) & 0xffff_ffffn));
    made.called(200, 0);
    expect(words[53]).toBe(words[2]);
  });

  it('takes constants of either sign and any length', () => {
    const values = [0n, 1n, -1n, 63n, 64n, -64n, -65n, 8191n, 1n << 40n, -(1n << 62n)];
    const code = new WasmFunction(1);
    for (const [index, value] of values.entries()) {
      code.store32(0, index * 8, () => code.constant(value));
      code.store32(0, index * 8 + 4, () => code.constant(value).constant(32n).operate('shr'));
    }
    const { memory, functions: made } = instantiate({ code }, 1)!;
    made.code(0);
    expect([...new BigInt64Array(memory, 0, values.length)]).toEqual(values);
  });

  it('is not there where the host has none, or no memory for it', () => {
    expect(instantiate(functions(), 100_000)).toBeUndefined();
    vi.stubGlobal('WebAssembly', undefined);
    try {
      expect(instantiate(functions(), 1)).toBeUndefined();
    } finally {
      vi.unstubAllGlobals();
    }
  });
});
