/**
 * Modules by their bytes, read once for all states, sessions and forks of an engine.
 * @module
 */
import { MODULES_READ_MAX } from '../config.ts';
import { sha3 } from '../hash/sha3.ts';
import type { ObjectState } from '../object/object-state.ts';
import { moduleOfField } from '../state/state.ts';
import { textOfBytes } from '../store/byte-text.ts';
import type { Module } from '../vm/binary/module.ts';
import { readModule, readStoredModule } from '../vm/binary/read.ts';

export class ModuleCache {
  /** By digest, least recently used first. */
  readonly #modules = new Map<string, Module>();
  /** Those of fields of states, whose bytes need not be hashed again. */
  readonly #stored = new WeakMap<ObjectState, Module>();
  /** Those of fields of states of which not every body was read. */
  readonly #inPart = new WeakSet<Module>();

  /**
   * The module that a field of a state's module store holds; its bodies are read when they are asked for.
   * @throws {EngineError} `malformed-module`
   */
  stored(field: ObjectState): Module {
    let module = this.#stored.get(field);
    if (module === undefined) {
      module = this.#find(moduleOfField(field), (bytes) => {
        const read = readStoredModule(bytes);
        this.#inPart.add(read);
        return read;
      });
      this.#stored.set(field, module);
    }
    return module;
  }

  /**
   * The module of these bytes, the same object each time.
   * @throws {EngineError} `malformed-module`
   */
  read(bytes: Uint8Array): Module {
    const module = this.#find(bytes, readModule);
    // What is refused must not depend on whether a state holds the same bytes.
    if (this.#inPart.has(module)) {
      readModule(bytes);
      this.#inPart.delete(module);
    }
    return module;
  }

  #find(bytes: Uint8Array, read: (bytes: Uint8Array) => Module): Module {
    const digest = textOfBytes(sha3(bytes));
    let module = this.#modules.get(digest);
    if (module === undefined) {
      // A module keeps views of its bytes, which whoever gave them may change.
      module = read(bytes.slice());
      const [oldest] = this.#modules.keys();
      if (this.#modules.size >= MODULES_READ_MAX && oldest !== undefined) this.#modules.delete(oldest);
    } else {
      this.#modules.delete(digest);
    }
    this.#modules.set(digest, module);
    return module;
  }
}
