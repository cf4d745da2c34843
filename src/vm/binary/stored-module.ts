/**
 * A module that was checked as a whole before it was stored, decoded piece by piece: its own name and those of the
 * modules it refers to at once, the other tables when one of them is needed, and each body when it first runs.
 *
 * Loading a module loads all its dependencies, and little of them is used: in a fresh process, where the reader itself
 * is not compiled yet, decoding all of it takes longer than the first transaction. What is decoded late is checked
 * late, by the same checks: a malformed module from a genesis file throws then. Tables that are decoded late are not
 * own properties of the object, so `{ ...module }` does not copy them.
 *
 * A module whose exact bytes were checked before (`isSound`) is not checked again. Its tables are then decoded one by
 * one: of half the modules, a transaction names a struct and no function.
 * @module
 */
import { checkModuleNames, StoredModuleBounds } from './bounds.ts';
import { StoredCode } from './code.ts';
import type { TableName } from './format.ts';
import type { Module } from './module.ts';
import { type BinaryEnvelope, readEnvelope, readTable, readTables, requireBounds, type Tables } from './read.ts';
import { readStoredFunction } from './table.ts';

const NAMES: ReadonlySet<TableName> = new Set<TableName>(['moduleHandles', 'identifiers', 'addresses']);

/**
 * Reads a stored module.
 * @param isSound whether a module of these bytes passed all checks before
 * @throws {EngineError} `malformed-module`; its tables and the `instructions` of its bodies may throw it on first use.
 */
export function readStoredModule(bytes: Uint8Array, isSound = false): Module {
  return new StoredModule(readEnvelope(bytes), isSound);
}

/** The tables that are decoded late; undefined until then. */
type LateTables = { [Name in TableName]: Tables[Name] | undefined };

class StoredModule implements Module {
  readonly kind = 'module';
  readonly version: number;
  readonly selfHandle: number;
  readonly moduleHandles: Module['moduleHandles'];
  readonly identifiers: Module['identifiers'];
  readonly addresses: Module['addresses'];
  readonly #envelope: BinaryEnvelope;
  readonly #isSound: boolean;
  #late: LateTables = NOTHING_READ;

  constructor(envelope: BinaryEnvelope, isSound: boolean) {
    this.#envelope = envelope;
    this.#isSound = isSound;
    this.version = envelope.version;
    this.selfHandle = envelope.tail.index('module handle');
    const names = readTables(envelope, 'module', { wanted: (name) => NAMES.has(name) });
    this.moduleHandles = names.moduleHandles;
    this.identifiers = names.identifiers;
    this.addresses = names.addresses;
    if (!isSound) requireBounds(checkModuleNames(this));
  }

  get structHandles(): Module['structHandles'] {
    return this.#late.structHandles ?? this.#read('structHandles');
  }

  get functionHandles(): Module['functionHandles'] {
    return this.#late.functionHandles ?? this.#read('functionHandles');
  }

  get functionInstantiations(): Module['functionInstantiations'] {
    return this.#late.functionInstantiations ?? this.#read('functionInstantiations');
  }

  get signatures(): Module['signatures'] {
    return this.#late.signatures ?? this.#read('signatures');
  }

  get constants(): Module['constants'] {
    return this.#late.constants ?? this.#read('constants');
  }

  get metadata(): Module['metadata'] {
    return this.#late.metadata ?? this.#read('metadata');
  }

  get structDefinitions(): Module['structDefinitions'] {
    return this.#late.structDefinitions ?? this.#read('structDefinitions');
  }

  get structInstantiations(): Module['structInstantiations'] {
    return this.#late.structInstantiations ?? this.#read('structInstantiations');
  }

  get functionDefinitions(): Module['functionDefinitions'] {
    return this.#late.functionDefinitions ?? this.#read('functionDefinitions');
  }

  get fieldHandles(): Module['fieldHandles'] {
    return this.#late.fieldHandles ?? this.#read('fieldHandles');
  }

  get fieldInstantiations(): Module['fieldInstantiations'] {
    return this.#late.fieldInstantiations ?? this.#read('fieldInstantiations');
  }

  get friends(): Module['friends'] {
    return this.#late.friends ?? this.#read('friends');
  }

  #read<Name extends TableName>(name: Name): Tables[Name] {
    if (this.#isSound) {
      if (this.#late === NOTHING_READ) this.#late = { ...NOTHING_READ };
      const readFunction = name === 'functionDefinitions' ? readStoredFunction : undefined;
      const table = readTable(this.#envelope, name, readFunction);
      this.#late[name] = table;
      return table;
    }
    const all = this.#readAll();
    this.#late = all;
    return all[name];
  }

  #readAll(): Tables {
    const { version, selfHandle, moduleHandles, identifiers, addresses } = this;
    const others = readTables(this.#envelope, 'module', {
      wanted: (name) => !NAMES.has(name),
      readFunction: readStoredFunction,
    });
    const module: Module = { ...others, kind: 'module', version, selfHandle, moduleHandles, identifiers, addresses };
    const bounds = new StoredModuleBounds(module);
    requireBounds(bounds.tables());
    for (const [index, { code }] of module.functionDefinitions.entries()) {
      if (code instanceof StoredCode) code.checkBy((decoded) => requireBounds(bounds.body(index, decoded)));
    }
    return others;
  }
}

/** For a module with no late table decoded yet. */
const NOTHING_READ: LateTables = {
  moduleHandles: undefined,
  structHandles: undefined,
  functionHandles: undefined,
  functionInstantiations: undefined,
  signatures: undefined,
  identifiers: undefined,
  addresses: undefined,
  constants: undefined,
  metadata: undefined,
  structDefinitions: undefined,
  structInstantiations: undefined,
  functionDefinitions: undefined,
  fieldHandles: undefined,
  fieldInstantiations: undefined,
  friends: undefined,
};
