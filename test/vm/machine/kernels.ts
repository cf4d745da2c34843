/**
 * The compute kernels of ../shared/data/kernels: a module that was assembled by hand, with results, gas totals and the
 * times of the reference's own interpreter.
 * @module
 */
import { existsSync, readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Module, ModuleId } from '../../../src/vm/binary/module.ts';
import { readModule } from '../../../src/vm/binary/read.ts';

interface Kernel {
  readonly function: string;
  readonly n: number;
  readonly result: bigint;
  readonly gas: bigint;
  readonly nativeMs: number;
}

const folder = `${process.env['MOVELET_SHARED'] ?? fileURLToPath(new URL('../../../../shared', import.meta.url))}/data/kernels`;

export const kernelsPresent: boolean = existsSync(`${folder}/kernels.json`);

export function readKernels(): { module: Module; id: ModuleId; kernels: readonly Kernel[] } {
  const module = readModule(new Uint8Array(readFileSync(`${folder}/kernels.mv`)));
  const handle = module.moduleHandles[module.selfHandle]!;
  const id = { address: module.addresses[handle.address]!, name: module.identifiers[handle.name]! };
  const rows = JSON.parse(readFileSync(`${folder}/kernels.json`, 'utf8')) as {
    kernels: { function: string; n: number; result: string; gas: number; native_ms: number }[];
  };
  const kernels = rows.kernels.map(({ function: name, n, result, gas, native_ms }) => {
    return { function: name, n, result: BigInt(result), gas: BigInt(gas), nativeMs: native_ms };
  });
  return { module, id, kernels };
}
