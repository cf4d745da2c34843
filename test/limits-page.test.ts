/** The constants that docs/limits.md names, and the values that it gives them. */
import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import * as config from '../src/config.ts';

const page = readFileSync(new URL('../docs/limits.md', import.meta.url), 'utf8');
const constants: Readonly<Record<string, unknown>> = config;

/** A row of the table of constants: its name and its value. */
const ROW = /^\| [^|]+ \| `([A-Z_]+)` \| ([\d,]+)(?: (MiB|ms))? \|$/gm;

describe('docs/limits.md', () => {
  it.each([...page.matchAll(ROW)].map(([, name, value, unit]) => [name!, value!, unit] as const))(
    'gives %s its value: %s',
    (name, value, unit) => {
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
    expect(named.filter((name) => !(name in constants))).toEqual([]);
  });
});
