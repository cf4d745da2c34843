/**
 * The `init` functions that are to run after a transaction's action, because it published their modules.
 * @module
 */
import { compareBytes } from '../../base/bytes/compare.ts';
import { type ModuleId, moduleKey } from '../../vm/module-id.ts';

export class InitRequests {
  readonly #modules = new Map<string, ModuleId>();

  /** Each module runs once, however often it is requested. */
  add(id: ModuleId): void {
    this.#modules.set(moduleKey(id), id);
  }

  /** In the order in which they run: by address, then by name. */
  get modules(): readonly ModuleId[] {
    return [...this.#modules.values()].sort(
      (left, right) => compareBytes(left.address, right.address) || (left.name < right.name ? -1 : 1),
    );
  }
}
