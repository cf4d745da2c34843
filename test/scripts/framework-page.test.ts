/** docs/framework.md, which a build writes: what contracts can call is what the bytecode has. */
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';
import { FRAMEWORK_PACKAGES } from '../../src/execution/framework/framework.ts';
import { Visibility } from '../../src/vm/binary/module.ts';
import { readModule } from '../../src/vm/binary/read.ts';

const script = fileURLToPath(new URL('../../scripts/framework-page.mjs', import.meta.url));

it('has each public function of each module once, and its comment', async () => {
  const { frameworkPage } = (await import(script)) as { frameworkPage(): string };
  const page = frameworkPage();
  const sections = new Map(
    page.split(/^### /m).map((section) => [section.slice(0, section.indexOf('\n')), section] as const),
  );
  const missing: string[] = [];
  const modules = FRAMEWORK_PACKAGES.flatMap((each, at) => each.modules.map((module) => ({ module, at: at + 1 })));
  for (const { at, module } of modules) {
    const { name, bytes } = module;
    const { functionDefinitions, functionHandles, identifiers } = readModule(bytes);
    const id = `0x${at}::${name}`;
    for (const { handle, visibility } of functionDefinitions) {
      const called = identifiers[functionHandles[handle]!.name]!;
      const listed = sections.get(id)?.match(new RegExp(`^- \`(?:.* )?${called}[<(]`, 'gm')) ?? [];
      if (visibility === Visibility.Public && listed.length !== 1) missing.push(`${id}::${called}`);
    }
  }
  expect(missing).toEqual([]);
  const known = new Set(modules.map(({ at, module: { name } }) => `0x${at}::${name}`));
  expect([...sections.keys()].filter((name) => name.startsWith('0x') && !known.has(name))).toEqual([]);
  expect(sections.get('0x3::transfer')).toContain(
    '- `entry transfer_coin<CoinType: key + store>(from: &signer, to: address, amount: u256)`',
  );
});
