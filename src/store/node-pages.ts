/**
 * Memory of the nodes of an ordered map: pages of 32-bit words, of which a node takes several in a row.
 *
 * As objects, a node would be three of them, each on a cache line of its own that is not in the cache, and the data
 * needed first would be reached last. Instead a node is a 32-bit number: that of its page, and its offset in it.
 *
 * A clone of the map shares all pages, and none of them is written from then on: a map copies what it changes to a page
 * of its own first. Each map counts how many words of a page its nodes take, and drops the page with the last of them;
 * a page that no map holds is garbage collected. The place of a node in an own page is reused.
 * @module
 */
import { EngineError } from '../base/error.ts';

/** Bits of a node that give its offset in its page; the ones above are the page number. */
const OFFSET_BITS = 16;
const OFFSET_MASK = (1 << OFFSET_BITS) - 1;
const PAGES_MAX = 1 << (32 - OFFSET_BITS);

/** Nodes begin at multiples of this many words, two to the power of `UNIT_BITS`. */
const UNIT_BITS = 2;
const UNIT_WORDS = 1 << UNIT_BITS;

/** The first page: a fork that writes one transaction takes few. */
const PAGE_UNITS_MIN = 1024;
/** As far as the offsets of one page reach: a megabyte. */
const PAGE_UNITS_MAX = 1 << OFFSET_BITS;

/** A node larger than a page divided by this gets a page of its own, so that no more than that is left unused. */
const SHARED_PART = 4;

/** How much may be unused before it is worth copying what is used. */
const SPARE_UNITS_MAX = 16 * PAGE_UNITS_MIN;

const NONE: Int32Array = new Int32Array(0);

export const NO_NODE = 0;

/** Pages, by their numbers. */
export type Pages = readonly Int32Array[];

export function pageNumberOf(node: number): number {
  return node >>> OFFSET_BITS;
}

export function wordOf(node: number): number {
  return (node & OFFSET_MASK) << UNIT_BITS;
}

export class NodePages {
  /** Indexed by number; an empty array where there is no page. */
  #pages: Int32Array[] = [NONE];
  /** Units that nodes of the map take in each page. */
  #used: number[] = [0];
  /** Whether no other map sees a page. */
  #own: boolean[] = [false];
  /** The number of the page that is being filled; 0 if there is none. */
  #current = 0;
  /** Units of it that were handed out. */
  #given = 0;
  /** Places in own pages that hold no node any more, by their units. */
  readonly #free = new Map<number, number[]>();

  get pages(): Pages {
    return this.#pages;
  }

  /** Whether no other map sees a node: it may be written. */
  isOwn(node: number): boolean {
    return this.#own[pageNumberOf(node)]!;
  }

  /** A place for a node of this many words. Its old contents stay. */
  take(words: number): number {
    const units = unitsOf(words);
    const node = this.#free.get(units)?.pop() ?? this.#next(units);
    this.#used[pageNumberOf(node)]! += units;
    return node;
  }

  /** Takes back the place of a node that the map no longer has. */
  release(node: number, words: number): void {
    const units = unitsOf(words);
    const number = pageNumberOf(node);
    this.#used[number]! -= units;
    if (!this.#own[number]) {
      if (this.#used[number] === 0) this.#pages[number] = NONE;
      return;
    }
    const free = this.#free.get(units);
    if (free === undefined) this.#free.set(units, [node]);
    else free.push(node);
  }

  /** The pages of a clone of the map. Neither map writes to any of them again. */
  clone(): NodePages {
    for (const [number, used] of this.#used.entries()) if (used === 0) this.#pages[number] = NONE;
    this.#own.fill(false);
    this.#current = 0;
    this.#given = 0;
    this.#free.clear();
    const clone = new NodePages();
    clone.#pages = this.#pages.slice();
    clone.#used = this.#used.slice();
    clone.#own = this.#own.slice();
    return clone;
  }

  /** Whether most memory is unused: nodes replaced after a clone stay as long as anything else in their page. */
  get isSparse(): boolean {
    let held = 0;
    for (const { length } of this.#pages) held += length >> UNIT_BITS;
    let used = 0;
    for (const units of this.#used) used += units;
    return held > 2 * used + SPARE_UNITS_MAX;
  }

  #next(units: number): number {
    const { length } = this.#pages[this.#current]!;
    if (this.#given + units > length >> UNIT_BITS) {
      const next = Math.min(Math.max(PAGE_UNITS_MIN, (2 * length) >> UNIT_BITS), PAGE_UNITS_MAX);
      if (units > next / SHARED_PART) return this.#add(units) << OFFSET_BITS;
      this.#current = this.#add(next);
      this.#given = 0;
    }
    const at = this.#given;
    this.#given += units;
    return (this.#current << OFFSET_BITS) | at;
  }

  /** Gives a new page the lowest free number. */
  #add(units: number): number {
    const hole = this.#pages.indexOf(NONE, 1);
    const number = hole === -1 ? this.#pages.length : hole;
    if (number === PAGES_MAX) {
      throw new EngineError('limit-exceeded', `expected at most ${PAGES_MAX - 1} pages of nodes in a store in memory`);
    }
    this.#pages[number] = new Int32Array(units * UNIT_WORDS);
    this.#used[number] = 0;
    this.#own[number] = true;
    return number;
  }
}

function unitsOf(words: number): number {
  return (words + UNIT_WORDS - 1) >> UNIT_BITS;
}
