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
    const { modules, diagnostics } = compileMove({ targets, dependencies: [], mode: MODE });
    expect(codesOf(diagnostics).filter((code) => !code.startsWith('W'))).toEqual([]);
    const made = new Set(modules.map(({ bytes }) => Buffer.from(bytes).toString('base64')));
    const released = releasedPackages(RELEASE).flatMap((each) => each.modules);
    expect(released.filter((bytes) => !made.has(Buffer.from(bytes).toString('base64')))).toEqual([]);
    expect(made.size).toBe(released.length);
  });
});

/** Flavors of other chains, which this language does not have. */
const OTHER_FLAVORS = '/flavors/';

/** What one run of a program says, as the reference's files tell it, and whether it compiles. */
interface Said {
  readonly isAccepted: boolean;
  /** `E04007 12`: codes, whose letter is the severity, with lines. */
  readonly diagnostics: readonly string[];
}

/** How a program is compiled, by the ending of the file that says what comes of it. */
const MODES = {
  '.exp': MODE,
  '.unit_test.exp': { hasTests: true, hasVerification: false },
  '.verification.exp': { hasTests: false, hasVerification: true },
};

function expectedOf(path: string): Said {
  const text = existsSync(path) ? readFileSync(path, 'utf8') : '';
  const found = text.matchAll(/^(?:error|warning|bug)\[(\w+)\].*\n\s*┌─ [^:]+:(\d+):\d+/gm);
  return {
    // A comment that does not end is a warning there, and still ends the compilation.
    isAccepted: !/^(?:error|bug)\[/m.test(text) && !text.includes('Unclosed block comment'),
    diagnostics: [...new Set([...found].map(([, code, line]) => `${code} ${line}`))].sort(),
  };
}

describe.skipIf(!hasReference)(`the programs of the reference's compiler${referenceNote}`, () => {
  const checks = `${LANGUAGE}/move-compiler/tests/move_check`;
  const addresses = new Map(
    Object.entries({ std: 1, M: 1, A: 0x42, B: 0x42, K: 0x19, Async: 0x20 }).map(([name, value]) => [
      name,
      addressOf(value),
    ]),
  );

  it('are accepted and refused as there, with the same diagnostics in the same lines', () => {
    const library = { files: moveFiles(`${LANGUAGE}/move-stdlib/sources`), addresses };
    const wrong: [string, string[]][] = [];
    let count = 0;
    for (const [path, text] of moveFiles(checks)) {
      if (path.includes(OTHER_FLAVORS)) continue;
      for (const [ending, mode] of Object.entries(MODES)) {
        const base = path.replace(/\.move$/, '');
        if (ending !== '.exp' && !existsSync(base + ending.replace(/\.exp$/, ''))) continue;
        count++;
        const expected = expectedOf(base + ending);
        const targets = [{ files: new Map([[path, text]]), addresses }];
        const output = compileMove({ targets, dependencies: [library], mode });
        const said = [...new Set(codesOf(output.diagnostics).map((code) => code.replace(/:\d+$/, '')))].sort();
        const differences = [
          ...(output.isComplete === expected.isAccepted ? [] : ['verdict']),
          ...said.filter((each) => !expected.diagnostics.includes(each)).map((each) => `more: ${each}`),
          ...expected.diagnostics.filter((each) => !said.includes(each)).map((each) => `missing: ${each}`),
        ];
        if (differences.length > 0) wrong.push([`${base.slice(checks.length + 1)}${ending}`, differences]);
      }
    }
    expect(count).toBeGreaterThan(900);
    expect(Object.fromEntries(wrong)).toEqual(KNOWN_DIFFERENCES);
  }, 300_000);
});

/** The reference says nothing more of a file after its first syntax error; here each member that has one is told. */
const KNOWN_DIFFERENCES: Readonly<Record<string, readonly string[]>> = {
  // `false::X::bar()` and `foo().bar().X::bar()`, in functions after the one in which `::` is refused first.
  'expansion/mdot_with_non_address_exp.exp': ['more: E01002 13', 'more: E01002 17'],
  // `fun bar()::bar()::M::S { }` in the function after the one in which `::` is refused first.
  'parser/invalid_pack_mname_non_addr.exp': ['more: E01002 8'],
};
