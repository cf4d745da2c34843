import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as config from '../src/base/config.ts';
import { CHANGE_SET_DEPTH_MAX } from '../src/chain/object/change-set.ts';
import { OBJECT_ID_DEPTH_MAX } from '../src/chain/object/object-id.ts';
import { LAYOUT_DEPTH_MAX } from '../src/execution/runtime/layout-source.ts';
import { VALUE_DEPTH_MAX } from '../src/move/layout.ts';

describe('the limits', () => {
  const limits = Object.entries(config).filter(([name]) => /_(?:MAX|MIN)$/.test(name));

  it('are positive whole numbers, with unit and bound last in the name', () => {
    expect(limits.length).toBeGreaterThan(10);
    for (const [name, value] of limits) {
      expect(name).toMatch(/^[A-Z0-9]+(?:_[A-Z0-9]+)+$/);
      expect(typeof value === 'bigint' ? value > 0n : Number.isSafeInteger(value) && Number(value) > 0, name).toBe(
        true,
      );
    }
  });

  it('follow from one another where they must', () => {
    expect(CHANGE_SET_DEPTH_MAX).toBeLessThanOrEqual(OBJECT_ID_DEPTH_MAX);
    expect(LAYOUT_DEPTH_MAX).toBeLessThanOrEqual(VALUE_DEPTH_MAX);
  });
});

const source = new URL('../src/', import.meta.url);
const page = readFileSync(new URL('../docs/limits.md', import.meta.url), 'utf8');

/** The files that export each constant. */
const owners = new Map<string, string>();
for (const path of readdirSync(source, { recursive: true, encoding: 'utf8' })) {
  if (!path.endsWith('.ts')) continue;
  const text = readFileSync(new URL(path, source), 'utf8');
  for (const [, name] of text.matchAll(/^(?:export )?const ([A-Z][A-Z0-9_]+)\b/gm)) owners.set(name!, path);
}

/** A row of the table of constants: its name and its value. */
const ROW = /^\| [^|]+ \| `([A-Z_]+)` \| ([\d,]+)(?: (MiB|ms))? \|$/gm;

describe('docs/limits.md', () => {
  it.each([...page.matchAll(ROW)].map(([, name, value, unit]) => [name!, value!, unit] as const))(
    'gives %s its value: %s',
    async (name, value, unit) => {
      const constants: Readonly<Record<string, unknown>> = await import(`../src/${owners.get(name)}`);
      // Constants of megabytes have that in their name.
      const scale = unit === 'MiB' && !name.includes('_MB_') ? 2 ** 20 : 1;
      expect(Number(value.replaceAll(',', '')) * scale).toBe(constants[name]);
    },
  );

  it('has such a table, and names no constant that does not exist', () => {
    const section = page.slice(page.indexOf('## Constants'), page.indexOf('Not bounded:'));
    // Each of its rows but the two of the head.
    expect([...page.matchAll(ROW)]).toHaveLength(section.match(/^\|/gm)!.length - 2);
    const named = [...page.matchAll(/`([A-Z]+(?:_[A-Z]+)+)`/g)].map(([, name]) => name!);
    expect(named.length).toBeGreaterThan(20);
    expect(named.filter((name) => !owners.has(name))).toEqual([]);
  });
});
