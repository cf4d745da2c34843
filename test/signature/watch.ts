import crypto from 'node:crypto';
import { vi } from 'vitest';
import { RepeatedKey } from '../../src/hash/secp256k1-keys.ts';

export interface Watch {
  /** Signature checks that this thread has made so far. */
  readonly checks: number;
  end(): void;
}

/** Counts signature checks of this thread: those of the host, and those by tables of a key. */
export function watchChecks(): Watch {
  const host = vi.spyOn(crypto, 'verify');
  const tables = vi.spyOn(RepeatedKey.prototype, 'holds');
  return {
    get checks() {
      const byTables = tables.mock.results.filter(({ value }) => value !== undefined);
      return host.mock.calls.length + byTables.length;
    },
    end() {
      host.mockRestore();
      tables.mockRestore();
    },
  };
}
