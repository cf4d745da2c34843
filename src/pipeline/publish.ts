/**
 * Publishes a package of modules with the same call that the reference's tools send.
 *
 * The first time, the sender must be the address that the modules are compiled for; later on, the owner of the
 * package's upgrade capability. Modules may come in any order.
 * Source: crates/rooch/src/commands/move_cli/commands/publish.rs and `PackageData` of the reference's framework;
 * frameworks/moveos-stdlib/src/natives/moveos_stdlib/move_module.rs of the reference.
 * @module
 */
import { bytes, type Codec, decode, encode, string, struct, vector } from '../base/bcs.ts';
import { equalBytes } from '../base/bytes/bytes.ts';
import { EngineError, unlessRefused } from '../base/error.ts';
import { type FunctionAction, formatFunctionId } from '../chain/transaction/action.ts';
import type { LedgerTransactionData } from '../chain/transaction/ledger.ts';
import { type Address, address, MOVEOS_STD_ADDRESS } from '../move/address.ts';
import { type Module, type ModuleLookup, moduleIdText, selfIdOf } from '../vm/binary/module.ts';
import { readModule } from '../vm/binary/read.ts';
import { typeText } from '../vm/binary/render.ts';

/** Runs `read` on a module; its errors name the module. */
function named<T>(index: number, read: () => T): T {
  try {
    return read();
  } catch (cause) {
    if (!(cause instanceof EngineError)) throw cause;
    throw new EngineError(cause.code, `modules[${index}]: ${cause.message}`, { details: cause.details, cause });
  }
}

/** `0x2::module_store::PackageData`. */
export interface PackageData {
  /** For people; the chain does not keep it. */
  readonly name: string;
  readonly id: Address;
  readonly modules: readonly Uint8Array[];
}

export const packageData: Codec<PackageData> = struct<PackageData>({
  name: string,
  id: address,
  modules: vector(bytes),
});

const PUBLISH = { address: MOVEOS_STD_ADDRESS, module: 'module_store', name: 'publish_package_entry' };

/**
 * The action that publishes or upgrades the package of `modules`.
 * @throws {EngineError} `invalid-argument` without modules, for modules of several addresses, and for two of one name;
 * `malformed-module`
 */
export function publishAction(modules: readonly Uint8Array[], name = ''): FunctionAction {
  const [first, ...others] = modules.map((code, index) => selfIdOf(named(index, () => readModule(code))));
  if (first === undefined) throw new EngineError('invalid-argument', 'expected modules to publish, got none');
  const stranger = others.find((other) => !equalBytes(other.address, first.address));
  if (stranger !== undefined) {
    const [one, other] = [first, stranger].map(moduleIdText);
    throw new EngineError('invalid-argument', `expected the modules of one package, got ${one} and ${other}`);
  }
  const names = [first, ...others].map((id) => id.name);
  const twice = names.find((each, index) => names.indexOf(each) < index);
  if (twice !== undefined) {
    const positions = `modules[${names.indexOf(twice)}] and modules[${names.lastIndexOf(twice)}]`;
    throw new EngineError('invalid-argument', `expected modules of different names, got ${twice} in ${positions}`);
  }
  const data = encode(packageData, { name, id: first.address, modules });
  return { kind: 'function', function: PUBLISH, typeArguments: [], arguments: [encode(bytes, data)] };
}

/**
 * Finds modules for a transaction's failure: first those that it publishes. Their `init` runs at once, and calls into
 * the new code; the states before and after a failed transaction have the old code, or none.
 * @param read decodes a module
 */
export function publishedFirst(
  data: LedgerTransactionData,
  read: (code: Uint8Array) => Module,
  findModule: ModuleLookup,
): ModuleLookup {
  let published: readonly Module[] | undefined;
  return (id) => {
    published ??= readAll(codesOf(data), read);
    const own = published.find((module) => {
      const { address, name } = selfIdOf(module);
      return name === id.name && equalBytes(address, id.address);
    });
    return own ?? findModule(id);
  };
}

/**
 * The structs whose values from before an upgrade no longer decode, each as a sentence. The chain accepts other fields,
 * as the reference does: its check of an upgrade leaves them out.
 * @param read decodes a module
 * @param findBefore finds modules as they were before the upgrade
 */
export function changedStructs(
  data: LedgerTransactionData,
  read: (code: Uint8Array) => Module,
  findBefore: ModuleLookup,
): string[] {
  return readAll(codesOf(data), read).flatMap((after) => {
    const id = selfIdOf(after);
    const before = findBefore(id);
    if (before === undefined) return [];
    const fieldsNow = structFields(after);
    return [...structFields(before)].flatMap(([name, old]) => {
      const differs = fieldDifferences(old, fieldsNow.get(name) ?? old);
      if (differs === undefined) return [];
      const struct = `${moduleIdText(id)}::${name}`;
      return `struct ${struct} has other fields (${differs}): values stored before no longer decode`;
    });
  });
}

interface NamedField {
  readonly name: string;
  readonly type: string;
}

function structFields(module: Module): Map<string, readonly NamedField[]> {
  const { structDefinitions, structHandles, identifiers } = module;
  return new Map(
    structDefinitions.map(({ handle, fields = [] }) => {
      const named = fields.map(({ name, type }) => ({
        name: identifiers[name]!,
        type: typeText(module, type, Number.POSITIVE_INFINITY),
      }));
      return [identifiers[structHandles[handle]!.name]!, named];
    }),
  );
}

/**
 * Describes the difference between two layouts; undefined if there is none. A new name alone changes no stored bytes.
 */
function fieldDifferences(before: readonly NamedField[], after: readonly NamedField[]): string | undefined {
  if (before.length === after.length && before.every(({ type }, index) => type === after[index]!.type))
    return undefined;
  const typeIn = (fields: readonly NamedField[], name: string) => fields.find((field) => field.name === name)?.type;
  const changes = [
    ...after.filter(({ name }) => typeIn(before, name) === undefined).map(({ name }) => `${name} is new`),
    ...before.flatMap(({ name, type }) => {
      const now = typeIn(after, name);
      if (now === undefined) return `${name} is gone`;
      return now === type ? [] : `${name} was ${type} and is ${now}`;
    }),
  ];
  return changes.length === 0 ? 'in another order' : changes.join(', ');
}

/** The modules that a transaction publishes; none if they cannot be read: the sender chose the bytes. */
function codesOf(data: LedgerTransactionData): readonly Uint8Array[] {
  if (data.kind !== 'l2-transaction') return [];
  const { action } = data.data;
  if (action.kind === 'modules') return action.modules;
  if (action.kind !== 'function' || formatFunctionId(action.function) !== formatFunctionId(PUBLISH)) return [];
  return unlessRefused(() => decode(packageData, decode(bytes, action.arguments[0]!)).modules) ?? [];
}

function readAll(codes: readonly Uint8Array[], read: (code: Uint8Array) => Module): Module[] {
  return codes.flatMap((code) => unlessRefused(() => read(code)) ?? []);
}
