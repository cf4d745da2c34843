/**
 * Oracles that need a checkout of the reference (`MOVELET_REFERENCE`): its newest release, which this compiler makes
 * from the reference's sources byte for byte, and the programs that its compiler's tests accept or refuse.
 */
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compileMove } from '../../../src/compile/move-compiler.ts';
import { addressOf } from '../../../src/move/address.ts';
import { hasReference, referenceNote, releasedPackages } from '../../vm/corpus.ts';
import { ADDRESSES, codesOf } from './front-end.ts';

const REFERENCE = process.env['MOVELET_REFERENCE'] ?? '';
const LANGUAGE = `${REFERENCE}/third_party/move/language`;
const RELEASE = 27;
const MODE = { hasTests: false, hasVerification: false };

function moveFiles(folder: string): Map<string, string> {
  const paths = readdirSync(folder, { recursive: true, encoding: 'utf8' }).filter((path) => path.endsWith('.move'));
  return new Map(paths.map((path) => [`${folder}/${path}`, readFileSync(`${folder}/${path}`, 'utf8')]));
}

describe.skipIf(!hasReference)(`the reference's framework${referenceNote}`, () => {
  it('compiles to the modules of its newest release, byte for byte', () => {
    const frameworkAddresses = new Map([...ADDRESSES, ['vm', addressOf(0)], ['vm_reserved', addressOf(0)]]);
    const packages = ['move-stdlib', 'moveos-stdlib', 'rooch-framework', 'bitcoin-move'];
    const targets = packages.map((name) => {
      return { files: moveFiles(`${REFERENCE}/frameworks/${name}/sources`), addresses: frameworkAddresses };
    });
    const { modules, diagnostics } = compileMove({ targets, dependencies: [], compiled: [], mode: MODE });
    expect(codesOf(diagnostics).filter((code) => !code.startsWith('W'))).toEqual([]);
    const made = new Set(modules.map(({ bytes }) => Buffer.from(bytes).toString('base64')));
    const released = releasedPackages(RELEASE).flatMap((each) => each.modules);
    expect(released.filter((bytes) => !made.has(Buffer.from(bytes).toString('base64')))).toEqual([]);
    expect(made.size).toBe(released.length);
  }, 120_000);
});

/** Flavors of other chains, which this language does not have. */
const OTHER_FLAVORS = '/flavors/';

describe.skipIf(!hasReference)(`the programs of the reference's compiler${referenceNote}`, () => {
  const checks = `${LANGUAGE}/move-compiler/tests/move_check`;
  const addresses = new Map(
    Object.entries({ std: 1, M: 1, A: 0x42, B: 0x42, K: 0x19, Async: 0x20 }).map(([name, value]) => [
      name,
      addressOf(value),
    ]),
  );

  it('are accepted and refused as there', () => {
    const library = { files: moveFiles(`${LANGUAGE}/move-stdlib/sources`), addresses };
    const wrong: string[] = [];
    for (const [path, text] of moveFiles(checks)) {
      if (path.includes(OTHER_FLAVORS)) continue;
      const expected = path.replace(/\.move$/, '.exp');
      const messages = existsSync(expected) ? readFileSync(expected, 'utf8') : '';
      // A comment that does not end is a warning there, and still ends the compilation.
      const isAccepted = !/^(?:error|bug)\[/m.test(messages) && !messages.includes('Unclosed block comment');
      const targets = [{ files: new Map([[path, text]]), addresses }];
      const output = compileMove({ targets, dependencies: [library], compiled: [], mode: MODE });
      if (output.isComplete !== isAccepted) wrong.push(path.slice(checks.length + 1));
    }
    expect(wrong).toEqual(KNOWN_DIFFERENCES);
  }, 300_000);
});

/** Names of specifications are not checked, since specifications are skipped. */
const KNOWN_DIFFERENCES: readonly string[] = ['expansion/invalid_spec_schema_name.move'];
