/**
 * Which declarations exist only for tests, and sources without what keeps those out of the bytecode.
 * @module
 */
import type { Attribute } from './attribute.ts';
import type { Declaration, Source } from './source.ts';

const TEST_ATTRIBUTES: ReadonlySet<string> = new Set(['test', 'test_only', 'expected_failure']);

/** Whether a declaration is compiled only in test mode. */
export function isForTests({ attributes }: Pick<Declaration, 'attributes'>): boolean {
  return attributes.some(({ name }) => name === 'test' || name === 'test_only');
}

/** The source with test attributes blanked out, so that every compiler compiles the tests; places stay as they are. */
export function withTestsOpened(source: Source): string {
  return withoutAttributes(source, TEST_ATTRIBUTES);
}

/** The source with these attributes blanked out; lines and offsets stay as they are. */
export function withoutAttributes({ text, groups }: Source, names: ReadonlySet<string>): string {
  let result = text;
  for (const { start, end, attributes } of groups) {
    const kept = attributes.filter(({ name }) => !names.has(name));
    if (kept.length === attributes.length) continue;
    // What is kept is shorter than what it replaces.
    const written = kept.length === 0 ? '' : `#[${kept.map(attributeText).join(',')}]`;
    const breaks = text.slice(start, end).replace(/[^\n]/g, '');
    const blank = ' '.repeat(Math.max(0, end - start - written.length - breaks.length));
    result = result.slice(0, start) + written + blank + breaks + result.slice(end);
  }
  return result;
}

function attributeText({ name, value, items }: Attribute): string {
  if (items.length > 0) return `${name}(${items.map(attributeText).join(',')})`;
  return value === undefined ? name : `${name}=${value}`;
}
