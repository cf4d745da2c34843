/**
 * The nodes that are held in memory, bounded in number and bytes; trees of a process may share one cache.
 *
 * Nodes are found by following links from a root, so the cache has no table of nodes: it has a queue of links, oldest
 * first, and a table of roots. When a bound is exceeded, links are taken from the front of the queue; one that was
 * visited since it was queued goes to the back for a second chance, any other is emptied. Code that still holds the
 * node keeps it, and the next visit reads it from the store again. Nothing is ever invalid: a node is named by its
 * hash, so it is the same node in every store that has it, committed or not.
 *
 * A node that an update replaces is hardly ever read again, and thousands of them would push out nodes that are. So the
 * last few replaced nodes wait in a separate ring, and one that is not visited before the ring comes round is dropped:
 * early enough for the garbage collector to find it young.
 * @module
 */
import { equalBytes } from '../../base/bytes/bytes.ts';
import { TREE_CACHE_BYTES_MAX, TREE_CACHE_NODES_MAX } from '../../base/config.ts';
import { assert } from '../../base/error.ts';
import { Branch, Leaf, type Link, type Node } from './node.ts';

/** A power of two, for each of the two tables. */
const PLACES = 1_024;

/** A tree is followed once it was read this many times in a row. */
const READS_MIN = 8;

/** Never written to. */
const NO_LINKS: (Link | undefined)[] = new Array<Link | undefined>(PLACES).fill(undefined);
const NO_ROOTS: (Uint8Array | undefined)[] = new Array<Uint8Array | undefined>(PLACES).fill(undefined);

/**
 * Where leaves were found last.
 *
 * One tree, the newest that was read often, is followed from root to root: an update records its changes here, so what
 * is known for the old root holds for the new one. In all other trees, which are small and seldom change, a leaf is
 * only known for one root.
 *
 * A leaf is found by its link, so this neither keeps a node that the cache has evicted nor hides a visit from it.
 * Everything here is a hint: slots are few, and a leaf displaces another one in the same slot.
 *
 * Trees over one cache share it, until an update goes on from the followed root: from then on, a tree has its own. So
 * forks find what others have read, and one that is dropped without an update has made no table.
 */
export class RecentLeaves {
  /** The root of the tree that is followed. An update moves it, and there is none meanwhile: the update may fail. */
  root: Uint8Array | undefined;
  #followed = NO_LINKS;
  /** Roots and links of leaves in other trees. */
  #roots = NO_ROOTS;
  #links = NO_LINKS;
  /** The root of the other tree that was read last, and how often it was. */
  #candidate: Uint8Array | undefined;
  #reads = 0;

  /** The same hints, for a tree that goes its own way. */
  copy(): RecentLeaves {
    const copy = new RecentLeaves();
    copy.root = this.root;
    copy.#followed = this.#followed.slice();
    copy.#roots = this.#roots;
    copy.#links = this.#links;
    return copy;
  }

  /** The link of the leaf of `key` under `root`, with the leaf, if it is known. */
  find(root: Uint8Array, key: Uint8Array): Link | undefined {
    let link: Link | undefined;
    if (root === this.root || this.isFollowed(root)) {
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
    if (root === this.root) {
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
    this.root = root;
    this.#reads = 0;
    this.#followed = NO_LINKS.slice();
  }

  /** Whether `root` is the root of the followed tree. From then on, the same array is recognised at once. */
  isFollowed(root: Uint8Array): boolean {
    if (this.root === undefined || !equalBytes(this.root, root)) return false;
    this.root = root;
    return true;
  }

  /** The update has put the leaf of `key` at `link`, or removed it. */
  update(key: Uint8Array, link: Link | undefined): void {
    this.#followed[placeOf(key)] = link;
  }
}

/** Keys are hashes or addresses; the digits of the chain's own addresses are at the end. */
function placeOf(key: Uint8Array): number {
  return (key[0]! ^ (key[15]! << 1) ^ (key[31]! << 2)) & (PLACES - 1);
}

interface NodeCacheOptions {
  /** The most nodes to hold. */
  readonly nodesMax?: number;
  /** The most bytes to hold, estimated: each node's own bytes and its JavaScript objects. */
  readonly bytesMax?: number;
}

/**
 * What V8 takes for a leaf besides its bytes, and for a branch besides its hashes and children.
 */
const LEAF_OVERHEAD_BYTES = 440;
const BRANCH_OVERHEAD_BYTES = 264;
const CHILD_OVERHEAD_BYTES = 8;
const WORD_BYTES = 8;

/** Replaced nodes that may still be visited: those of some ten commits, shared by the forks of one state. */
const REPLACED_NODES_MAX = 512;

function nodeBytes(node: Node): number {
  return node instanceof Branch
    ? BRANCH_OVERHEAD_BYTES + node.words.length * WORD_BYTES + node.links.length * CHILD_OVERHEAD_BYTES
    : LEAF_OVERHEAD_BYTES + node.length;
}

export class NodeCache {
  readonly nodesMax: number;
  readonly bytesMax: number;
  /** Nodes that were found here, and nodes that had to be read. The reader counts them. */
  hits = 0;
  misses = 0;
  readonly recent: RecentLeaves = new RecentLeaves();
  /** A ring: `#count` links from `#first` on, wrapping at its length, which is a power of two. */
  #queue: (Link | undefined)[] = new Array<Link | undefined>(64).fill(undefined);
  #first = 0;
  #count = 0;
  /** How many links in the queue have a node. */
  #held = 0;
  #bytes = 0;
  readonly #replaced = new Array<Link | undefined>(REPLACED_NODES_MAX).fill(undefined);
  #nextReplaced = 0;
  /** By the first four bytes of the hash. Two roots that share them, one pair in 2^32, displace each other. */
  readonly #roots = new Map<number, Link>();

  constructor(options: NodeCacheOptions = {}) {
    this.nodesMax = options.nodesMax ?? TREE_CACHE_NODES_MAX;
    this.bytesMax = options.bytesMax ?? TREE_CACHE_BYTES_MAX;
    assert(this.nodesMax >= 0 && this.bytesMax >= 0, 'the bounds of a node cache are not negative');
  }

  /** Nodes held now. */
  get nodes(): number {
    return this.#held;
  }

  /** Estimated bytes held now. */
  get bytes(): number {
    return this.#bytes;
  }

  /** Whether it is at most half full, by number and by bytes. */
  get isHalfFree(): boolean {
    return 2 * this.#held < this.nodesMax && 2 * this.#bytes < this.bytesMax;
  }

  /** The node whose hash is `hash`, if it is in memory as a root. */
  root(hash: Uint8Array): Node | undefined {
    const link = this.rootLink(hash);
    if (link === undefined) return undefined;
    link.visited = true;
    return link.node;
  }

  /** The link of the root `hash`, if its node is in memory. */
  rootLink(hash: Uint8Array): Link | undefined {
    const link = this.#roots.get(rootIndex(hash));
    return link?.root !== undefined && equalBytes(link.root, hash) ? link : undefined;
  }

  /** Makes the node of `link` findable as the root `hash`. */
  setRoot(hash: Uint8Array, link: Link): void {
    if (link.node === undefined) return;
    link.root = hash.slice();
    this.#roots.set(rootIndex(hash), link);
  }

  /**
   * Puts `node` into `link`, evicting others as the bounds require. A node that exceeds the bounds by itself is not
   * held.
   */
  hold(link: Link, node: Node): void {
    const bytes = nodeBytes(node);
    if (bytes > this.bytesMax || this.nodesMax === 0) return;
    while (this.#held >= this.nodesMax || this.#bytes + bytes > this.bytesMax) this.#evictOne();
    link.node = node;
    link.bytes = bytes;
    link.visited = false;
    this.#held++;
    this.#bytes += bytes;
    if (!link.queued) this.#push(link);
  }

  /** Called when an update has replaced the node in `link`. */
  replace(link: Link): void {
    link.visited = false;
    const oldest = this.#replaced[this.#nextReplaced];
    this.#replaced[this.#nextReplaced] = link;
    this.#nextReplaced = (this.#nextReplaced + 1) % REPLACED_NODES_MAX;
    if (oldest !== undefined && !oldest.visited && oldest !== link) this.#drop(oldest);
  }

  /** Drops everything. */
  clear(): void {
    while (this.#count > 0) this.#drop(this.#shift());
    this.#replaced.fill(undefined);
  }

  #evictOne(): void {
    let link = this.#shift();
    while (link.node === undefined || link.visited) {
      link.visited = false;
      if (link.node !== undefined) this.#push(link);
      link = this.#shift();
    }
    this.#drop(link);
  }

  #drop(link: Link): void {
    if (link.node === undefined) return;
    this.#held--;
    this.#bytes -= link.bytes;
    link.node = undefined;
    if (link.root !== undefined) {
      const index = rootIndex(link.root);
      if (this.#roots.get(index) === link) this.#roots.delete(index);
      link.root = undefined;
    }
  }

  #push(link: Link): void {
    if (this.#count === this.#queue.length) this.#makeRoom();
    this.#queue[(this.#first + this.#count) & (this.#queue.length - 1)] = link;
    this.#count++;
    link.queued = true;
  }

  /** Removes emptied links from a full queue, and doubles its size if it stays more than half full. */
  #makeRoom(): void {
    const full = this.#queue;
    const length = 2 * this.#held > full.length ? 2 * full.length : full.length;
    this.#queue = new Array<Link | undefined>(length).fill(undefined);
    let count = 0;
    for (let index = 0; index < full.length; index++) {
      const link = full[(this.#first + index) & (full.length - 1)]!;
      if (link.node === undefined) link.queued = false;
      else this.#queue[count++] = link;
    }
    this.#first = 0;
    this.#count = count;
  }

  #shift(): Link {
    const link = this.#queue[this.#first];
    assert(link !== undefined, 'a node cache that is over its bounds has a link to evict');
    this.#queue[this.#first] = undefined;
    this.#first = (this.#first + 1) & (this.#queue.length - 1);
    this.#count--;
    link.queued = false;
    return link;
  }
}

function rootIndex(hash: Uint8Array): number {
  return (hash[0]! << 24) | (hash[1]! << 16) | (hash[2]! << 8) | hash[3]!;
}
