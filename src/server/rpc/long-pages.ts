/**
 * Long pages, few at a time.
 *
 * A page is built in pieces, so that others are served in between; but meanwhile all of its items are held, in several
 * forms. Two hundred pages of a thousand transactions each, built side by side, took more than a gigabyte. So only a
 * few long pages are built at once, and the others wait: the connection that has used the least time goes first. A slow
 * one, such as a scan for something rare, makes room for another after a while, up to a limit.
 * @module
 */
import { PAGE_ITEMS_DEFAULT } from '../../base/config.ts';
import { SERVICE_UNAVAILABLE } from '../../base/json-rpc.ts';
import { Lines } from '../../engine/workers/lines.ts';
import { nextPiece } from '../../store/piece.ts';
import { type RpcError, rpcError } from './error.ts';
import { type JsonValue, pageText, stringifyResult } from './json.ts';
import type { MethodRow } from './method.ts';

/** Pages of more than PAGE_ITEMS_DEFAULT items built at once: the largest take some 15 MB each meanwhile. */
export const LONG_PAGES_AT_ONCE = 2;

/** Milliseconds after which another such page is started beside one that is still scanning. */
export const LONG_PAGE_MS = 2_000;

/** Such pages at once, however long they take. */
export const LONG_PAGES_MAX = 16;

/** Such pages that may wait: half of the requests that a listener holds. */
export const LONG_PAGES_WAITING_MAX = 4_096;

/** A page as a row returns it. */
interface RowPage {
  readonly data: readonly JsonValue[];
  readonly next_cursor: JsonValue;
  readonly has_next_page: boolean;
}

/**
 * The text of a long page, assembled from short ones: each one's items are turned into text before the next is read, so
 * that few are in memory at a time. Otherwise a page of a thousand transactions spends most of its time in the garbage
 * collector.
 */
export async function writtenPage(
  { params }: Pick<MethodRow, 'params'>,
  values: readonly unknown[],
  itemsMax: number,
  handle: (values: readonly unknown[]) => JsonValue | Promise<JsonValue>,
): Promise<string> {
  const [cursorAt, limitAt] = ['cursor', 'limit'].map((name) => params.findIndex((param) => param.name === name));
  const asked = [...values];
  const items: string[] = [];
  for (let left = Math.min(values[limitAt!] as number, itemsMax); ; left -= PAGE_ITEMS_DEFAULT) {
    asked[limitAt!] = Math.min(left, PAGE_ITEMS_DEFAULT);
    const { data, ...rest } = (await handle(asked)) as unknown as RowPage;
    for (const item of data) items.push(stringifyResult(item));
    if (!rest.has_next_page || left <= PAGE_ITEMS_DEFAULT) return pageText(items, rest);
    asked[cursorAt!] = params[cursorAt!]!.parser.parse(rest.next_cursor);
    await nextPiece();
  }
}

interface Waiter {
  readonly begin: () => void;
  readonly refuse: (error: RpcError) => void;
}

/** Stands for all callers without a connection: programs in this process. */
const NO_CONNECTION = {};

export class LongPages {
  readonly #lines = new Lines<Waiter>(LONG_PAGES_WAITING_MAX);
  /** Pages being built. */
  #count = 0;
  /** How many of them have taken LONG_PAGE_MS. */
  #slow = 0;

  /**
   * Runs `make` when it is the connection's turn.
   * @throws {RpcError} if too many pages are waiting; and whatever `make` throws
   */
  async make<T>(connection: object = NO_CONNECTION, make: () => Promise<T>): Promise<T> {
    await new Promise<void>((begin, refuse) => {
      this.#lines.join(connection, { begin, refuse })?.refuse(busy());
      this.#next();
    });
    let isSlow = false;
    const timer = setTimeout(() => {
      isSlow = true;
      this.#slow++;
      this.#next();
    }, LONG_PAGE_MS);
    (timer as { unref?(): void }).unref?.();
    const begun = performance.now();
    try {
      return await make();
    } finally {
      clearTimeout(timer);
      if (isSlow) this.#slow--;
      this.#count--;
      this.#lines.leave(connection, performance.now() - begun);
      this.#next();
    }
  }

  #next(): void {
    while (this.#count < LONG_PAGES_MAX && this.#count - this.#slow < LONG_PAGES_AT_ONCE) {
      const waiter = this.#lines.next();
      if (waiter === undefined) return;
      this.#count++;
      waiter.begin();
    }
  }
}

function busy(): RpcError {
  const expected = `at most ${LONG_PAGES_WAITING_MAX} pages that wait`;
  return rpcError(SERVICE_UNAVAILABLE, `the node is busy: expected ${expected}; ask again later`, 'limit-exceeded', {
    expected,
  });
}
