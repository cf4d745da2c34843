import { describe, expect, it } from 'vitest';
import { ModuleCache } from '../../../src/execution/runtime/module-cache.ts';
import { readModule } from '../../../src/vm/binary/read.ts';
import { verifyBundle } from '../../../src/vm/verify/bundle.ts';
import { verificationSteps, verifyModule, verifyModuleOnce } from '../../../src/vm/verify/verify.ts';
import { assembleModuleBytes } from '../assemble.ts';

const sound = assembleModuleBytes('module 0x1::m fun f() { Ret }');
const unsound = assembleModuleBytes('module 0x1::m fun f() { Pop; Ret }');

describe('verdicts', () => {
  it('are those of the verifier, and the same ones for modules with the same code', () => {
    const cache = new ModuleCache();
    for (const code of [sound, unsound]) {
      const first = verifyModuleOnce(cache.read(code));
      expect(first).toEqual(verifyModule(readModule(code)));
      expect(verifyModuleOnce(cache.read(code.slice()))).toBe(first);
    }
    expect(verifyModuleOnce(cache.read(unsound))).toMatchObject({ ok: false, statusCode: 1009 });
  });

  it('say nothing about how a module links', () => {
    const user = readModule(
      assembleModuleBytes('module 0x2::user extern 0x1::m { public fun f() } fun g() { Call 0x1::m::f; Ret }'),
    );
    const linked = readModule(assembleModuleBytes('module 0x1::m public fun f() { Ret }'));
    expect(verifyBundle([user], (id) => (id.name === 'm' ? linked : undefined)).ok).toBe(true);
    expect(verifyBundle([user], () => undefined).ok).toBe(false);
  });

  it('are not kept if the caller gave up on the verification', () => {
    const module = readModule(
      assembleModuleBytes(`module 0x1::long
      fun f() { ${'LdTrue; Pop;'.repeat(30_000)} Ret }`),
    );
    let calls = 0;
    const giveUp = (): void => {
      calls++;
      throw new Error('too late');
    };
    expect(() => verificationSteps(module, giveUp)).toThrow('too late');
    expect(() => verificationSteps(module, giveUp)).toThrow('too late');
    expect(calls).toBe(2);
    const steps = verificationSteps(module, () => calls++);
    expect(steps).toBeGreaterThan(50_000);
    expect(calls).toBeGreaterThan(2);
    // It is known from here on.
    expect(verificationSteps(module, giveUp)).toBe(steps);
  });
});
