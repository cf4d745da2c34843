/**
 * How often each instruction ran during tests.
 * @module
 */

import type { SessionTracer } from '../../execution/runtime/session.ts';
import { formatAddressShort } from '../../move/address.ts';
import type { FunctionInstance } from '../../vm/link/function-instance.ts';
import type { LoadedFunction } from '../../vm/link/loaded-module.ts';

/** What ran of one function. */
export interface CoveredFunction {
  calls: number;
  /** How often each instruction ran, by code offset. */
  readonly counts: Uint32Array;
}

/** What ran in one run. */
export class CodeRun implements SessionTracer {
  readonly functions: Map<LoadedFunction, CoveredFunction> = new Map();

  restart(): void {
    this.functions.clear();
  }

  enter({ loaded }: FunctionInstance): void {
    if (loaded.code === undefined) return;
    let covered = this.functions.get(loaded);
    if (covered === undefined) {
      covered = { calls: 0, counts: new Uint32Array(loaded.code.instructions.length) };
      this.functions.set(loaded, covered);
    }
    covered.calls++;
  }

  step({ loaded }: FunctionInstance, offset: number): void {
    this.functions.get(loaded)!.counts[offset]!++;
  }

  leave(): void {}

  fail(): void {}
}

/** What ran in several runs. */
export class CoveredCode {
  readonly #functions = new Map<string, CoveredFunction>();

  add(run: CodeRun): void {
    for (const [loaded, { calls, counts }] of run.functions) {
      const { id } = loaded.module;
      if (id === undefined) continue;
      const key = keyOf(formatAddressShort(id.address), id.name, loaded.name);
      const sum = this.#functions.get(key);
      if (sum === undefined) {
        this.#functions.set(key, { calls, counts });
      } else {
        sum.calls += calls;
        for (const [offset, count] of counts.entries()) sum.counts[offset]! += count;
      }
    }
  }

  /**
   * Undefined for a function that was never called.
   * @param address as a tested module has it: `0x42`
   */
  of(address: string, module: string, name: string): CoveredFunction | undefined {
    return this.#functions.get(keyOf(address, module, name));
  }
}

function keyOf(address: string, module: string, name: string): string {
  return `${address}::${module}::${name}`;
}
