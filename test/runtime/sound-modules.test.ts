/** Which modules are loaded without checks: those of the framework in a build, and none in sources. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { FRAMEWORK_PACKAGES } from '../../src/framework/framework.ts';
import { sha3 } from '../../src/hash/sha3.ts';
import { isSoundModule } from '../../src/runtime/sound-modules.ts';

const FRAMEWORK = FRAMEWORK_PACKAGES.flatMap(({ modules }) => modules.map(({ bytes }) => bytes));

it('none in sources', () => {
  for (const bytes of FRAMEWORK) expect(isSoundModule(sha3(bytes))).toBe(false);
});

it.each(['machine.js', 'execution.script.js'])('those of the framework, and no other, in %s', (file) => {
  const text = readFileSync(new URL(`../../dist/${file}`, import.meta.url), 'utf8');
  const known = text.match(/[0-9a-f]{64}(?=[0-9a-f]{64}|['"`])/g) ?? [];
  const digests = FRAMEWORK.map((bytes) => createHash('sha3-256').update(bytes).digest('hex'));
  expect(digests.length).toBeGreaterThan(100);
  for (const digest of digests) expect(known).toContain(digest);
  const [listed] = /(?:[0-9a-f]{64}){100,}/.exec(text) ?? [''];
  expect(listed.length).toBe(64 * digests.length);
});
