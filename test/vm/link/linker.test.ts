/**
 * Loading modules: what it costs beyond reading them.
 */
import { expect, it, vi } from 'vitest';
import { parseAddressHex } from '../../../src/move/address.ts';
import { moduleKey } from '../../../src/vm/binary/module.ts';
import { Linker } from '../../../src/vm/link/linker.ts';
import type { TypeStore } from '../../../src/vm/link/type-store.ts';
import { assembleModule } from '../assemble.ts';

vi.mock('../../../src/vm/binary/module.ts', { spy: true });

const ADDRESS = `0x${'00'.repeat(31)}42`;

/** Three hundred modules that each name all before took nine seconds, for each call after an upgrade of the lowest. */
it('does not search among the dependencies of a module for each of them', () => {
  const count = 60;
  const lines = Array.from({ length: count }, (_, at) => `extern ${ADDRESS}::m${at} { fun f() }`).join('\n');
  const calls = Array.from({ length: count }, (_, at) => `Call ${ADDRESS}::m${at}::f;`).join('\n');
  const top = assembleModule(`module ${ADDRESS}::top
    ${lines}
    public fun f() { ${calls} Ret }`);
  const below = Array.from({ length: count }, (_, at) =>
    assembleModule(`module ${ADDRESS}::m${at}
      public fun f() { Ret }`),
  );
  const source = {
    load: ({ name }: { readonly name: string }) => (name === 'top' ? top : below[Number(name.slice(1))]),
  };
  const linker = new Linker({} as TypeStore, () => false);
  vi.mocked(moduleKey).mockClear();
  const loaded = linker.module({ address: parseAddressHex(ADDRESS), name: 'top' }, source);
  expect(loaded.dependencies).toHaveLength(count + 1);
  expect(vi.mocked(moduleKey).mock.calls.length).toBeLessThan(10 * count);
});
