/**
 * What sources need of the framework in order to be compiled: its interfaces, which come with the engine.
 * @module
 */
import { equalBytes } from '../base/bytes/bytes.ts';
import { FRAMEWORK_INTERFACES, type FrameworkInterface } from '../execution/framework/compiled/interfaces.ts';
import { type Address, addressOf } from '../move/address.ts';
import type { CompilerDependency } from './move-compiler.ts';

/** The names of addresses in the framework's sources. */
export const FRAMEWORK_ADDRESSES: ReadonlyMap<string, Address> = new Map([
  ['std', addressOf(1)],
  ['moveos_std', addressOf(2)],
  ['rooch_framework', addressOf(3)],
  ['bitcoin_move', addressOf(4)],
]);

export type FrameworkPackageName = FrameworkInterface['name'];

/** The packages of the framework, each after those that it needs. */
export const FRAMEWORK_PACKAGE_NAMES: readonly FrameworkPackageName[] = FRAMEWORK_INTERFACES.map(({ name }) => name);

/** By name and mode; made when first asked for, since the compiler reads what is the same object only once. */
const made = new Map<string, CompilerDependency>();

/** A package of the framework as a dependency, with what only tests have if `hasTests`. */
export function frameworkDependency(name: FrameworkPackageName, hasTests: boolean): CompilerDependency {
  const key = hasTests ? `${name} with tests` : name;
  const known = made.get(key);
  if (known !== undefined) return known;
  const { sources, uses, testUses, inlinedLocals } = FRAMEWORK_INTERFACES.find((each) => each.name === name)!;
  const dependency: CompilerDependency = {
    files: new Map(sources.map(([module, text]) => [`${name}/${module}.move`, text])),
    addresses: FRAMEWORK_ADDRESSES,
    uses: new Map(
      [...uses, ...(hasTests ? testUses : [])].map(([module, used]) => [keyOf(module), used.split(' ').map(keyOf)]),
    ),
    inlinedLocals,
  };
  made.set(key, dependency);
  return dependency;
}

/** Of the framework's packages that are not among `present`, the one that has a module. */
export function absentPackageOf(
  present: readonly FrameworkPackageName[],
): (module: { readonly address: Uint8Array; readonly name: string }) => FrameworkPackageName | undefined {
  return ({ address, name }) => {
    const [addressName] = [...FRAMEWORK_ADDRESSES].find(([, value]) => equalBytes(value, address)) ?? [];
    const found = FRAMEWORK_INTERFACES.find(({ sources }) =>
      sources.some(([module, text]) => module === name && text.includes(`module ${addressName}::${name} {`)),
    );
    return found === undefined || present.includes(found.name) ? undefined : found.name;
  };
}

/** `0x1::m` as the compiler's key of a module. */
function keyOf(module: string): string {
  const [address = '', name = ''] = module.split('::');
  return `${address.slice(2).padStart(64, '0')}::${name}`;
}
