/**
 * A module that was checked as a whole before it was stored, decoded piece by piece: its name and those of the modules
 * that it refers to at once, the other tables when one of them is needed, and each body when it first runs.
 *
 * Loading a module loads all its dependencies, and little of them is used: a first transaction loads 74 modules with
 * 14,000 instructions, uses more than the name of only 50 of them, and runs 3,000 of the instructions. In a fresh
 * process, where the reader itself is not compiled yet, decoding all of it took longer than the transaction. What is
 * decoded late is checked late, by the same checks: a malformed module from a genesis file throws then. Tables that are
 * decoded late are not own properties of the object, so `{ ...module }` does not copy them.
 * @module
 */
import { checkModuleNames, StoredModuleBounds } from './bounds.ts';
import { StoredCode } from './code.ts';
import type { TableName } from './format.ts';
import type { Module } from './module.ts';
import { type Envelope, readEnvelope, readTables, requireBounds, type Tables } from './read.ts';
import { readStoredFunction } from './table.ts';

const NAMES: ReadonlySet<TableName> = new Set<TableName>(['moduleHandles', 'identifiers', 'addresses']);

/**
 * Reads a stored module.
 * @throws {EngineError} `malformed-module`, ; its tables and the `instructions` of its bodies may throw it on first
 * use.
 */
export function readStoredModule(bytes: Uint8Array): Module {
  return new StoredModule(readEnvelope(bytes));
}

class StoredModule implements Module {
  readonly kind = 'module';
  readonly version: number;
  readonly selfHandle: number;
  readonly moduleHandles: Module['moduleHandles'];
  readonly identifiers: Module['identifiers'];
  readonly addresses: Module['addresses'];
  readonly #envelope: Envelope;
  #others: Tables | undefined;

  constructor(envelope: Envelope) {
    this.#envelope = envelope;
    this.version = envelope.version;
    this.selfHandle = envelope.tail.index('module handle');
    const names = readTables(envelope, 'module', { wanted: (name) => NAMES.has(name) });
    this.moduleHandles = names.moduleHandles;
    this.identifiers = names.identifiers;
    this.addresses = names.addresses;
    requireBounds(checkModuleNames(this));
  }

  get structHandles(): Module['structHandles'] {
    return this.#tables.structHandles;
  }

  get functionHandles(): Module['functionHandles'] {
    return this.#tables.functionHandles;
  }

  get functionInstantiations(): Module['functionInstantiations'] {
    return this.#tables.functionInstantiations;
  }

  get signatures(): Module['signatures'] {
    return this.#tables.signatures;
  }

  get constants(): Module['constants'] {
    return this.#tables.constants;
  }

  get metadata(): Module['metadata'] {
    return this.#tables.metadata;
  }

  get structDefinitions(): Module['structDefinitions'] {
    return this.#tables.structDefinitions;
  }

  get structInstantiations(): Module['structInstantiations'] {
    return this.#tables.structInstantiations;
  }

  get functionDefinitions(): Module['functionDefinitions'] {
    return this.#tables.functionDefinitions;
  }

  get fieldHandles(): Module['fieldHandles'] {
    return this.#tables.fieldHandles;
  }

  get fieldInstantiations(): Module['fieldInstantiations'] {
    return this.#tables.fieldInstantiations;
  }

  get friends(): Module['friends'] {
    return this.#tables.friends;
  }

  get #tables(): Tables {
    this.#others ??= this.#read();
    return this.#others;
  }

  #read(): Tables {
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
    return module;
  }
}
