/**
 * Execution counts of instructions during tests.
 * @module
 */
import { getOrInsert } from '../../base/get-or-insert.ts';
import { formatAddressShort } from '../../move/address.ts';
import type { FunctionInstance } from '../../vm/link/function-instance.ts';
import type { LoadedFunction } from '../../vm/link/loaded-module.ts';
import type { SessionTracer } from '../runtime/session.ts';

/** The execution counts of one function. */
export interface CoveredFunction {
  calls: number;
  /** The execution count of each instruction, by code offset. */
  readonly counts: Uint32Array;
}

/** The execution counts of one run. */
export class CodeRun implements SessionTracer {
  readonly functions: Map<LoadedFunction, CoveredFunction> = new Map();

  restart(): void {
    this.functions.clear();
  }

  enter({ loaded }: FunctionInstance): void {
    if (loaded.code === undefined) return;
    const { length } = loaded.code.instructions;
    getOrInsert(this.functions, loaded, () => ({ calls: 0, counts: new Uint32Array(length) })).calls++;
  }

  step({ loaded }: FunctionInstance, offset: number): void {
    this.functions.get(loaded)!.counts[offset]!++;
  }

  leave(): void {}

  fail(): void {}
}

/**
 * The execution counts of a function as plain data: its key in `CoveredCode`, its calls, and the count of each
 * instruction.
 */
export type FunctionCount = readonly [key: string, calls: number, counts: readonly number[]];

/** The execution counts of several runs. */
export class CoveredCode {
  readonly #functions = new Map<string, CoveredFunction>();

  add(run: CodeRun): void {
    for (const [loaded, { calls, counts }] of run.functions) {
      const { id } = loaded.module;
      if (id !== undefined)
        this.#add(keyOf(formatAddressShort(id.address), id.name, loaded.name, counts.length), calls, counts);
    }
  }

  /** Adds counts from elsewhere. */
  addCounts(functions: readonly FunctionCount[]): void {
    for (const [key, calls, counts] of functions) this.#add(key, calls, Uint32Array.from(counts));
  }

  #add(key: string, calls: number, counts: Uint32Array): void {
    const sum = this.#functions.get(key);
    if (sum === undefined) {
      this.#functions.set(key, { calls, counts });
      return;
    }
    sum.calls += calls;
    for (const [offset, count] of counts.entries()) sum.counts[offset]! += count;
  }

  /**
   * Undefined for a function that was never called. A module may be upgraded between runs: code of another length is that
   * of another version.
   * @param address as a tested module has it: `0x42`
   * @param length number of its instructions
   */
  of(address: string, module: string, name: string, length: number): CoveredFunction | undefined {
    return this.#functions.get(keyOf(address, module, name, length));
  }

  /** All of it except for the framework, which has no coverage. */
  counts(): FunctionCount[] {
    const own = [...this.#functions].filter(([key]) => !/^0x[1-4]::/.test(key));
    return own.map(([key, { calls, counts }]) => [key, calls, [...counts]]);
  }

  clear(): void {
    this.#functions.clear();
  }
}

function keyOf(address: string, module: string, name: string, length: number): string {
  return `${address}::${module}::${name}/${length}`;
}
