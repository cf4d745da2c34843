import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from 'vitest';
import { FRAMEWORK_PACKAGE_NAMES as FRAMEWORK_NAMES, frameworkDependency } from '../../../src/compile/framework.ts';
import { type CompilerOutput, type CompilerSources, compileMove } from '../../../src/compile/move-compiler.ts';
import { FRAMEWORK_PACKAGES as SHIPPED_PACKAGES } from '../../../src/execution/framework/framework.ts';
import { disassembleModule } from '../../../src/vm/binary/disassemble.ts';
import { readModule } from '../../../src/vm/binary/read.ts';
import { frameworkInterfaces, frameworkTestModules } from './framework-interface.ts';
import { ADDRESSES, codesOf, FRAMEWORK_PACKAGES, frameworkSources } from './front-end.ts';

/**
 * The framework is shipped as another build of the reference's compiler made it. That build puts a jump to a jump where
 * a `while` holds a `break`, which the reference does not (its own modules of release 27 are equal, see
 * `reference.test.ts`). These functions have such a loop.
 */
const WHILE_WITH_BREAK: Readonly<Record<string, readonly string[]>> = {
  ascii: ['all_characters_printable', 'all_valid'],
  event_queue: ['remove_expired'],
  session_key: ['in_session_scope'],
  did: ['find_verification_method_by_session_key', 'offers_custody'],
  inscription_updater: ['collect', 'process_tx'],
};

const shipped = SHIPPED_PACKAGES.flatMap(({ modules }, index) =>
  modules.map(({ name, bytes }) => ({ id: `${index + 1}::${name}`, bytes })),
);

/** The listing of each function, by name. */
function functionsOf(bytes: Uint8Array): Map<string, string> {
  const pieces = disassembleModule(readModule(bytes)).split(
    /\n(?=(?:public |entry |native )*(?:public\(friend\) )?(?:entry |native )*fun )/,
  );
  return new Map(pieces.map((piece) => [/fun (\w+)/.exec(piece)?.[1] ?? '', piece]));
}

const MODE = { hasTests: false, hasVerification: false };

function sourcesOf(name: string): CompilerSources {
  const files = frameworkSources(name).map((text, index) => [`${name}/${index}.move`, text] as const);
  return { files: new Map(files), addresses: ADDRESSES };
}

describe('the framework, compiled from its sources', () => {
  let output: CompilerOutput;

  beforeAll(() => {
    const targets = FRAMEWORK_PACKAGES.map(sourcesOf);
    output = compileMove({ targets, dependencies: [], mode: MODE });
  });

  it('has neither errors nor warnings', () => {
    expect(codesOf(output.diagnostics)).toEqual([]);
    expect(output.modules).toHaveLength(shipped.length);
  });

  it('is equal byte for byte to what is shipped, apart from loops that another compiler wrote otherwise', () => {
    const made = new Map(
      output.modules.map(({ declaration: { identity }, bytes }) => [
        `${identity.address[31]}::${identity.name}`,
        bytes,
      ]),
    );
    for (const { id, bytes } of shipped) {
      const others = WHILE_WITH_BREAK[id.split('::')[1]!];
      if (others === undefined) expect({ id, bytes: made.get(id) }).toEqual({ id, bytes });
      else {
        const [ours, theirs] = [functionsOf(made.get(id)!), functionsOf(bytes)];
        const different = [...theirs.keys()].filter((name) => ours.get(name) !== theirs.get(name));
        expect({ id, different: different.sort() }).toEqual({ id, different: others });
      }
    }
  });

  it.each([
    ['interfaces', 'interfaces.ts', frameworkInterfaces],
    ['modules for tests', 'test-modules.ts', frameworkTestModules],
  ])(
    'has %s that are up to date: scripts/framework-interfaces.ts writes them',
    (_what, name, textOf) => {
      const path = new URL(`../../../src/execution/framework/compiled/${name}`, import.meta.url);
      expect(readFileSync(path, 'utf8') === textOf()).toBe(true);
    },
    60_000,
  );

  it('gives its users the same bytes by its interfaces as by its sources', () => {
    const { files } = sourcesOf('bitcoin-move');
    const own = { files, addresses: ADDRESSES };
    const dependencies = FRAMEWORK_NAMES.slice(0, -1).map((name) => frameworkDependency(name, false));
    const { modules } = compileMove({ targets: [own], dependencies, mode: MODE });
    const made = new Map(output.modules.map(({ declaration, bytes }) => [declaration.identity.key, bytes]));
    expect(modules.length).toBeGreaterThan(10);
    for (const { declaration, bytes } of modules) expect(bytes).toEqual(made.get(declaration.identity.key));
  });

  it('comes in an order in which each module follows those that it needs', () => {
    const seen = new Set<string>();
    for (const { declaration, module } of output.modules) {
      for (const { address, name } of module.moduleHandles) {
        const key = `${module.addresses[address]![31]}::${module.identifiers[name]}`;
        const own = `${declaration.identity.address[31]}::${declaration.identity.name}`;
        if (key !== own) expect(seen).toContain(key);
      }
      seen.add(`${declaration.identity.address[31]}::${declaration.identity.name}`);
    }
  });
});
