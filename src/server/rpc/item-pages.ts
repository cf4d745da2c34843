/**
 * What subscriptions are sent: read, and turned into text, once for all that pass a transaction at about the same time,
 * whether they are live or catching up.
 * @module
 */
import { SUBSCRIPTION_PAGE_ITEMS } from '../../base/config.ts';
import type { RpcChain } from './engine.ts';
import { type JsonValue, stringifyResult } from './json.ts';

/** Bytes of items that are kept for the next subscription: a few thousand events. */
const SUBSCRIPTION_PAGES_BYTES_MAX: number = 4 * 1024 * 1024;

/** What subscriptions choose from: the transactions of a chain, or their events. */
export interface ItemStream<T> {
  /** Streams of the same name have the same items in the same form. */
  readonly name: string;
  /** SUBSCRIPTION_PAGE_ITEMS items of the transaction at an order, from an index on; fewer if it has no more. */
  page(chain: RpcChain, order: bigint, from: number): readonly StreamItem<T>[];
}

export interface StreamItem<T> {
  /** What filters look at. */
  readonly value: T;
  /** About how many bytes `value` holds. */
  readonly bytes: number;
  json(chain: RpcChain): JsonValue;
}

/** Consecutive items of one transaction. */
export interface ItemPage<T> {
  readonly first: number;
  readonly items: readonly StreamItem<T>[];
  /** Whether the transaction has no further items. */
  readonly isLast: boolean;
}

interface KeptPage extends ItemPage<unknown> {
  readonly texts: string[];
  bytes: number;
  isKept: boolean;
}

/** Bytes that an item takes besides its value and its text. */
const ITEM_BYTES = 256;

/** The pages that were read last. */
export class ItemPages {
  readonly #pages = new Map<string, KeptPage>();
  #bytes = 0;

  /** The page that the item of a transaction at an index is on, if there is such an item. */
  at<T>(stream: ItemStream<T>, chain: RpcChain, order: bigint, index: number): ItemPage<T> {
    const first = index - (index % SUBSCRIPTION_PAGE_ITEMS);
    const key = `${stream.name} ${order} ${first}`;
    let page = this.#pages.get(key);
    if (page === undefined) {
      const items = stream.page(chain, order, first);
      const isLast = items.length < SUBSCRIPTION_PAGE_ITEMS;
      page = { first, items, isLast, texts: [], bytes: 0, isKept: true };
      this.#pages.set(key, page);
      this.#count(
        page,
        items.reduce((sum, { bytes }) => sum + bytes + ITEM_BYTES, ITEM_BYTES),
      );
    }
    return page as ItemPage<unknown> as ItemPage<T>;
  }

  /** The JSON of an item. */
  text(given: ItemPage<unknown>, chain: RpcChain, index: number): string {
    const page = given as KeptPage;
    const at = index - page.first;
    let text = page.texts[at];
    if (text === undefined) {
      text = stringifyResult(page.items[at]!.json(chain));
      page.texts[at] = text;
      this.#count(page, text.length);
    }
    return text;
  }

  /** Forgets all of them: orders may now have other transactions. */
  clear(): void {
    for (const [key, page] of this.#pages) this.#forget(key, page);
  }

  #count(page: KeptPage, bytes: number): void {
    page.bytes += bytes;
    if (!page.isKept) return;
    this.#bytes += bytes;
    for (const [key, oldest] of this.#pages) {
      if (this.#bytes <= SUBSCRIPTION_PAGES_BYTES_MAX) return;
      this.#forget(key, oldest);
    }
  }

  #forget(key: string, page: KeptPage): void {
    page.isKept = false;
    this.#bytes -= page.bytes;
    this.#pages.delete(key);
  }
}
