import { describe, expect, it } from 'vitest';
import { readModule } from '../../../src/vm/binary/read.ts';
import { VerdictCache } from '../../../src/vm/verify/verdict-cache.ts';
import { CHAIN_LIMITS } from '../../../src/vm/verify/verify.ts';
import { assembleModuleBytes } from '../assemble.ts';

const sound = assembleModuleBytes('module 0x1::m fun f() { Ret }');
const unsound = assembleModuleBytes('module 0x1::m fun f() { Pop; Ret }');

describe('the verdict cache', () => {
  it('answers as the verifier does, and the second time from memory', () => {
    const cache = new VerdictCache();
    const first = cache.verify(unsound, readModule(unsound));
    expect(first).toMatchObject({ ok: false, statusCode: 1009 });
    // The same object: nothing was judged again, not even another module.
    expect(cache.verify(unsound, readModule(sound))).toBe(first);
    expect(cache.verify(sound, readModule(sound)).ok).toBe(true);
  });

  it('forgets what was not asked for longest', () => {
    const cache = new VerdictCache(CHAIN_LIMITS, 2);
    const third = assembleModuleBytes('module 0x1::third fun f() { Pop; Ret }');
    const first = cache.verify(unsound, readModule(unsound));
    cache.verify(sound, readModule(sound));
    cache.verify(unsound, readModule(unsound));
    cache.verify(third, readModule(third));
    expect(cache.verify(unsound, readModule(sound))).toBe(first);
    // Its verdict was dropped, so the module that is handed in is judged.
    expect(cache.verify(sound, readModule(unsound)).ok).toBe(false);
  });
});
