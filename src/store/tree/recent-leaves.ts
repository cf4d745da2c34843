/**
 * Where leaves were found last: a warm read takes three steps instead of five for each level.
 *
 * One tree, the newest that was read often, is followed from root to root: an update records its changes here, so what
 * is known for the old root holds for the new one. In all other trees, which are small and seldom change, a leaf is
 * only known for one root.
 *
 * A leaf is found by its link, so this neither keeps a node that the cache has evicted nor hides a visit from it.
 * Everything here is a hint: slots are few, and a leaf displaces another one in the same slot.
 * @module
 */
import { equalBytes } from '../../base/bytes/compare.ts';
import { Leaf, type Link } from './node.ts';

/** A power of two, for each of the two tables. */
const PLACES = 1_024;

/** A tree is followed once it was read this many times in a row. */
const READS_MIN = 8;

/** Never written to: a fork that reads little has no tables of its own. */
const NO_LINKS: (Link | undefined)[] = new Array<Link | undefined>(PLACES).fill(undefined);
const NO_ROOTS: (Uint8Array | undefined)[] = new Array<Uint8Array | undefined>(PLACES).fill(undefined);

export class RecentLeaves {
  /** The root of the tree that is followed. */
  #root: Uint8Array | undefined;
  #followed = NO_LINKS;
  /** Roots and links of leaves in other trees. */
  #roots = NO_ROOTS;
  #links = NO_LINKS;
  /** The root of the other tree that was read last, and how often it was. */
  #candidate: Uint8Array | undefined;
  #reads = 0;

  /** The link of the leaf of `key` under `root`, with the leaf, if it is known. */
  find(root: Uint8Array, key: Uint8Array): Link | undefined {
    let link: Link | undefined;
    if (root === this.#root || this.#isFollowed(root)) {
      this.#reads = 0;
      link = this.#followed[placeOf(key)];
    } else {
      const place = placeOf(key) ^ root[0]!;
      if (this.#roots[place] !== root) return undefined;
      link = this.#links[place];
    }
    const leaf = link?.node;
    return leaf instanceof Leaf && leaf.hasKey(key) ? link : undefined;
  }

  /** Remembers where the leaf of `key` is under `root`. */
  remember(root: Uint8Array, key: Uint8Array, link: Link): void {
    if (root === this.#root) {
      this.#followed[placeOf(key)] = link;
      return;
    }
    if (this.#roots === NO_ROOTS) {
      this.#roots = NO_ROOTS.slice();
      this.#links = NO_LINKS.slice();
    }
    const place = placeOf(key) ^ root[0]!;
    this.#roots[place] = root;
    this.#links[place] = link;
    if (root !== this.#candidate) this.#reads = 0;
    this.#candidate = root;
    if (++this.#reads >= READS_MIN) this.#follow(root);
  }

  #follow(root: Uint8Array): void {
    this.#root = root;
    this.#reads = 0;
    this.#followed = NO_LINKS.slice();
  }

  /** Whether `root` is the root of the followed tree. From then on, the same array is recognised at once. */
  #isFollowed(root: Uint8Array): boolean {
    if (this.#root === undefined || !equalBytes(this.#root, root)) return false;
    this.#root = root;
    return true;
  }

  /** Whether the tree that an update changes is followed. If so, it is not until `endUpdate`: the update may fail. */
  beginUpdate(root: Uint8Array): boolean {
    if (!this.#isFollowed(root)) return false;
    this.#root = undefined;
    return true;
  }

  /** The update has put the leaf of `key` at `link`, or removed it. */
  update(key: Uint8Array, link: Link | undefined): void {
    this.#followed[placeOf(key)] = link;
  }

  /** The update has ended with `root`. */
  endUpdate(root: Uint8Array): void {
    this.#root = root;
  }
}

/** Keys are hashes or addresses; the digits of the chain's own addresses are at the end. */
function placeOf(key: Uint8Array): number {
  return (key[0]! ^ (key[15]! << 1) ^ (key[31]! << 2)) & (PLACES - 1);
}
