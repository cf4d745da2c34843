/** The bound on the work of natives in one execution, and what a script counts before it runs. */
import { describe, expect, it } from 'vitest';
import { loadScript } from '../../../src/execution/runtime/action-check.ts';
import type { SessionModules } from '../../../src/execution/runtime/module-source.ts';
import { NativeWork } from '../../../src/execution/runtime/native-work.ts';
import { StatusCode } from '../../../src/vm/status.ts';
import { assembleScriptBytes } from '../../vm/assemble.ts';

describe('work that is not counted', () => {
  it('leaves what was left before, also if it fails', () => {
    const work = new NativeWork(100);
    work.spend(30);
    expect(work.uncounted(() => work.spend(1_000))).toBeUndefined();
    expect(work.left).toBe(70);
    const fail = (): never => {
      throw new Error('no state');
    };
    expect(() => work.uncounted(fail)).toThrow('no state');
    expect(work.left).toBe(70);
  });
});

/** Scripts here name no modules. */
const NO_MODULES = { load: () => undefined } as unknown as SessionModules;

const script = (blocks: number): Uint8Array =>
  assembleScriptBytes(`script() { ${'LdU64 1; Pop; '.repeat(blocks)}Ret }`);

/** Microseconds that a script takes of what is left. */
function workOf(code: Uint8Array): number {
  const work = new NativeWork(1_000_000);
  loadScript(code, NO_MODULES, work);
  return 1_000_000 - work.left;
}

describe('a script', () => {
  it('counts the bytes that are read, even if they are no script', () => {
    expect(workOf(new Uint8Array(4_000))).toBe(1_000);
    expect(workOf(new Uint8Array(8_000))).toBe(2_000);
  });

  it('counts the steps of its verification besides', () => {
    const [short, long] = [script(100), script(1_000)];
    const besides = (code: Uint8Array): number => workOf(code) - Math.ceil(code.length / 4);
    expect(besides(short)).toBeGreaterThan(0);
    expect(besides(long)).toBeGreaterThan(5 * besides(short));
  });

  it('is refused if there is no room for that', () => {
    const code = script(1_000);
    const needed = workOf(code);
    expect(loadScript(code, NO_MODULES, new NativeWork(needed))).not.toHaveProperty('status');
    const refusal = expect.objectContaining({
      failure: expect.objectContaining({ status: StatusCode.EXECUTION_LIMIT_REACHED }),
    });
    expect(() => loadScript(code, NO_MODULES, new NativeWork(needed - 1))).toThrow(refusal);
  });
});
