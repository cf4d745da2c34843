/**
 * Long pages, few at a time.
 *
 * A page is made in pieces, so that others are served in between; but while it is made, all of its items are held, in
 * several forms. Two hundred pages of a thousand transactions each, made side by side, took more than a gigabyte. So only
 * a few long pages are in the making, and the others wait: those of the connection that had least time go first. One that
 * takes long, as it scans for what is rare, makes room for another after a while, up to a bound.
 * @module
 */
import { LONG_PAGE_MS, LONG_PAGES_AT_ONCE, LONG_PAGES_MAX, LONG_PAGES_WAITING_MAX } from '../config.ts';
import { SERVICE_UNAVAILABLE } from '../json-rpc.ts';
import { Lines } from '../workers/lines.ts';
import { type RpcError, rpcError } from './error.ts';

interface Waiter {
  readonly begin: () => void;
  readonly refuse: (error: RpcError) => void;
}

/** Stands for all callers without a connection: programs in this process. */
const NO_CONNECTION = {};

export class LongPages {
  readonly #lines = new Lines<Waiter>(LONG_PAGES_WAITING_MAX);
  /** Those in the making. */
  #count = 0;
  /** Of these, those that have taken LONG_PAGE_MS. */
  #slow = 0;

  /**
   * Runs `make` when it is the connection's turn.
   * @throws {RpcError} if too many pages wait, and what `make` throws
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
