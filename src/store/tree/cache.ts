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
import { Branch, type Link, type Node } from './node.ts';

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
