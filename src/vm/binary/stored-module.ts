/**
 * Lazy decoding of a module that was checked as a whole before it was stored: its own name and those of the modules it
 * refers to immediately, the other tables when one of them is needed, and each body when it first runs.
 *
 * Loading a module loads all its dependencies, most of which stay unused: in a fresh process, whose reader is not
 * compiled yet, decoding all of them takes longer than the first transaction. What is decoded late is checked late, by
 * the same checks: a malformed module from a genesis file throws then. Tables that are decoded late are not own
 * properties of the object, so `{ ...module }` does not copy them.
 *
 * A module whose exact bytes were checked before (`isSound`) is not checked again. Its tables are then decoded one by
 * one: of half of the modules, a transaction uses structs only.
 * @module
 */
import { verdictOf } from '../verdict.ts';
import { BoundsCheck, checkModuleNames } from './bounds.ts';
import { StoredCode } from './code.ts';
import { TABLE_NAMES, type TableName } from './format.ts';
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

/** The tables that are decoded on first use. */
const LATE = TABLE_NAMES.filter((name) => !NAMES.has(name));

class StoredModule implements Module {
  readonly kind = 'module';
  readonly version: number;
  readonly selfHandle: number;
  readonly moduleHandles: Module['moduleHandles'];
  readonly identifiers: Module['identifiers'];
  readonly addresses: Module['addresses'];
  declare readonly structHandles: Module['structHandles'];
  declare readonly functionHandles: Module['functionHandles'];
  declare readonly functionInstantiations: Module['functionInstantiations'];
  declare readonly signatures: Module['signatures'];
  declare readonly constants: Module['constants'];
  declare readonly metadata: Module['metadata'];
  declare readonly structDefinitions: Module['structDefinitions'];
  declare readonly structInstantiations: Module['structInstantiations'];
  declare readonly functionDefinitions: Module['functionDefinitions'];
  declare readonly fieldHandles: Module['fieldHandles'];
  declare readonly fieldInstantiations: Module['fieldInstantiations'];
  declare readonly friends: Module['friends'];
  readonly #envelope: BinaryEnvelope;
  readonly #isSound: boolean;
  /** The decoded tables. */
  #late: Partial<Tables> = {};

  static {
    for (const name of LATE) {
      Object.defineProperty(StoredModule.prototype, name, {
        get(this: StoredModule) {
          return this.#late[name] ?? this.#read(name);
        },
      });
    }
  }

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

  #read<Name extends TableName>(name: Name): Tables[Name] {
    if (this.#isSound) {
      const readFunction = name === 'functionDefinitions' ? readStoredFunction : undefined;
      this.#late[name] = readTable(this.#envelope, name, readFunction);
      return this.#late[name]!;
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
    const bounds = new BoundsCheck(module);
    requireBounds(verdictOf(() => bounds.checkModule(module, false)));
    for (const [index, { code }] of module.functionDefinitions.entries()) {
      if (!(code instanceof StoredCode)) continue;
      code.checkBy((decoded) => requireBounds(verdictOf(() => bounds.checkBody(module, index, decoded))));
    }
    return others;
  }
}
