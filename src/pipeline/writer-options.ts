/**
 * The writer's options: where it writes, and what it calls.
 * @module
 */
import type { EngineError } from '../base/error.ts';
import type { Head } from '../chain/ledger/head.ts';
import type { Store } from '../store/store.ts';
import type { NodeCache } from '../store/tree/cache.ts';
import type { CommitSink } from './commit-sink.ts';
import type { Feed } from './feed.ts';
import type { WriterTools } from './group-filler.ts';
import type { StepsAside } from './step-aside.ts';
import type { SequencerClock } from './turn.ts';

export interface WriterOptions {
  readonly store: Store;
  readonly nodes: NodeCache;
  readonly head: Head;
  readonly feed: Feed;
  /** The sequencer's clock. Default: the chain's own time. */
  readonly clock: SequencerClock | undefined;
  /** Gets each group before the store does. Without it, only the store gets them. */
  readonly sink?: CommitSink | undefined;
  /** Why this engine takes no turns, if another one writes the chain. */
  readonly refusal?: (() => EngineError) | undefined;
  /** Runs what would hold the thread. Default: the writer runs everything itself. */
  readonly aside?: StepsAside | undefined;
  /** Called before the first input. */
  readonly tools: () => WriterTools;
  /** Called before a group begins: reads while it runs see the chain as it was before. */
  readonly onGroup: () => void;
  /** Called whenever a new head is installed, and when rows were pruned. */
  readonly onHead: () => void;
  /** Called when the history cannot be pruned: it grows from now on. */
  readonly onUnpruned: (error: unknown) => void;
}
