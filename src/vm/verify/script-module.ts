/**
 * A script as a module with one function, so the chain's checks, which only handle modules, apply to it too.
 * Source: `script_into_module` of the reference's `move-model/src/lib.rs`.
 * @module
 */
import { equalBytes } from '../../base/bytes/bytes.ts';
import { type Module, type Script, Visibility } from '../binary/module.ts';

/** The name that compilers gave to modules without one. */
const SELF_NAME = '<SELF>';
const SELF_ADDRESS: Uint8Array = new Uint8Array(32).fill(0xff);

/** The module of a script. Its only function is public, entry and named as the module. */
export function scriptModule(script: Script): Module {
  const { kind: _kind, typeParameters, parameters, code, ...tables } = script;
  // Existing entries are not added again: the chain's bounds depend on the module's size.
  const identifiers = [...tables.identifiers];
  const addresses = [...tables.addresses];
  const moduleHandles = [...tables.moduleHandles];
  const signatures = [...tables.signatures];
  const name = indexIn(identifiers, SELF_NAME, (own) => own === SELF_NAME);
  const address = indexIn(addresses, SELF_ADDRESS, (own) => equalBytes(own, SELF_ADDRESS));
  const self = { address, name };
  const selfHandle = indexIn(moduleHandles, self, (own) => own.address === address && own.name === name);
  const returns = indexIn(signatures, [], (own) => own.length === 0);
  return {
    ...tables,
    kind: 'module',
    identifiers,
    addresses,
    moduleHandles,
    signatures,
    functionHandles: [...tables.functionHandles, { module: selfHandle, name, parameters, returns, typeParameters }],
    functionDefinitions: [
      { handle: tables.functionHandles.length, visibility: Visibility.Public, isEntry: true, acquires: [], code },
    ],
    selfHandle,
    structDefinitions: [],
    structInstantiations: [],
    fieldHandles: [],
    fieldInstantiations: [],
    friends: [],
  };
}

/** The index of the entry that `matches`; adds `item` if there is none. */
function indexIn<Item>(table: Item[], item: Item, matches: (entry: Item) => boolean): number {
  const found = table.findIndex(matches);
  return found >= 0 ? found : table.push(item) - 1;
}
