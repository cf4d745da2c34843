/**
 * The state tree on a worker: missing nodes on the path to a leaf are fetched with one question, instead of one each.
 * @module
 */
import { equalBytes } from '../../base/bytes/bytes.ts';
import { nodeSource } from '../../chain/state/node-row.ts';
import type { NodeCache } from '../../store/tree/cache.ts';
import type { PathNode } from '../../store/tree/path.ts';
import { type Leaf, type NodeSource, Tree } from '../../store/tree/tree.ts';
import type { AskedRows } from './asked-rows.ts';

export class AskedTree extends Tree {
  readonly #walk: Walk;

  constructor(rows: AskedRows, cache: NodeCache) {
    const walk = new Walk(rows);
    super((hash) => walk.node(hash), cache);
    this.#walk = walk;
  }

  override getLeaf(root: Uint8Array, key: Uint8Array): Leaf | undefined {
    this.#walk.begin(root, key);
    try {
      return super.getLeaf(root, key);
    } finally {
      this.#walk.end();
    }
  }
}

/** Where the reader is on its path, and which nodes of that path it has fetched. */
class Walk {
  readonly #rows: AskedRows;
  readonly #single: NodeSource;
  #way: { readonly root: Uint8Array; readonly key: Uint8Array } | undefined;
  #came: readonly PathNode[] = [];

  constructor(rows: AskedRows) {
    this.#rows = rows;
    this.#single = nodeSource(rows);
  }

  begin(root: Uint8Array, key: Uint8Array): void {
    this.#way = { root, key };
  }

  end(): void {
    this.#way = undefined;
    this.#came = [];
  }

  node(hash: Uint8Array): Uint8Array | undefined {
    if (this.#way === undefined) return this.#single(hash);
    let found = this.#find(hash);
    if (found === undefined) {
      this.#came = this.#rows.path({ ...this.#way, from: hash });
      found = this.#find(hash);
    }
    return found?.bytes;
  }

  #find(hash: Uint8Array): PathNode | undefined {
    return this.#came.find((node) => equalBytes(node.hash, hash));
  }
}
