import type { Engine } from '../../engine/engine.ts';
import type { LongWork } from '../../engine/long-work.ts';
import type { RecordView } from '../../query/chain-view.ts';
import type { Usage } from '../../query/status.ts';

/** The chain at one state, from which one request is answered. */
export type RpcChain = RecordView;

/** A view of an engine. */
export interface RpcView extends Disposable {
  /** @internal */
  readonly inside: RpcChain;
}

/** What JSON-RPC needs from an engine. */
export interface RpcEngine extends Pick<Engine, 'execute' | 'simulate' | 'waitFor'> {
  /** The chain as it is now; commits do not change the view until it is disposed of. */
  at(): RpcView;
  /** @internal */
  readonly inside?: {
    readonly core: {
      /** Hands long calls and transactions over to worker threads. */
      readonly longWork: LongWork;
      usage(): Usage;
    };
  };
  /** Calls `listener` whenever the head changes, until the returned function is called. */
  on(
    kind: 'head',
    listener: (change: { readonly isReverted: boolean; readonly sharedOrder: bigint }) => void,
  ): () => void;
  /** Calls `listener` once the engine is closed, until the returned function is called. */
  on(kind: 'closed', listener: () => void): () => void;
}

/** What the controls of a test node also need. */
export interface DevEngine
  extends RpcEngine,
    Pick<Engine, 'trace' | 'executeAs' | 'publish' | 'accounts' | 'snapshot' | 'revert' | 'reset' | 'close'> {
  readonly dev: Pick<Engine['dev'], 'mint' | 'setObject' | 'setField' | 'mine'> & {
    readonly time: Pick<Engine['dev']['time'], 'now' | 'set' | 'advance'>;
  };
  /** A separate chain that starts from here. */
  fork(): DevEngine;
}

/** Runs `read` on the chain as it is now. */
export function readNow<T>(engine: Pick<RpcEngine, 'at'>, read: (chain: RpcChain) => T): T {
  const chain = engine.at();
  try {
    return read(chain.inside);
  } finally {
    chain[Symbol.dispose]();
  }
}

/** Runs `read` on the chain as it is now, unaffected by commits until its promise settles. */
export async function readPinned<T>(
  engine: Pick<RpcEngine, 'at'>,
  read: (chain: RpcChain) => T | Promise<T>,
): Promise<T> {
  const chain = engine.at();
  try {
    return await read(chain.inside);
  } finally {
    chain[Symbol.dispose]();
  }
}
