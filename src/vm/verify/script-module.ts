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

/** The module of a script that was read. Its only function is public, entry and named as the module. */
export function scriptModule(script: Script): Module {
  const { kind: _kind, typeParameters, parameters, code, ...tables } = script;
  // Existing entries are not added again: the chain's bounds depend on the module's size.
  const identifiers = new Additions(tables.identifiers);
  const addresses = new Additions(tables.addresses);
  const moduleHandles = new Additions(tables.moduleHandles);
  const signatures = new Additions(tables.signatures);
  const name = identifiers.index((own) => own === SELF_NAME, SELF_NAME);
  const address = addresses.index((own) => equalBytes(own, SELF_ADDRESS), SELF_ADDRESS);
  const self = { address, name };
  const selfHandle = moduleHandles.index((own) => own.address === address && own.name === name, self);
  const returns = signatures.index((own) => own.length === 0, []);
  return {
    ...tables,
    kind: 'module',
    identifiers: identifiers.items,
    addresses: addresses.items,
    moduleHandles: moduleHandles.items,
    signatures: signatures.items,
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

/** A table with at most one more entry. */
class Additions<Item> {
  items: readonly Item[];

  constructor(items: readonly Item[]) {
    this.items = items;
  }

  /** The index of an entry that `matches`, or of the new `item`. */
  index(matches: (item: Item) => boolean, item: Item): number {
    const found = this.items.findIndex(matches);
    if (found >= 0) return found;
    this.items = [...this.items, item];
    return this.items.length - 1;
  }
}
