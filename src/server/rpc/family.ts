/**
 * What an adapter shares with those of its forks: they share the thread, and limits apply to all of them together.
 * @module
 */
import { STEP_MS_MAX_IN_PROCESS } from '../../base/config.ts';
import { EngineError } from '../../base/error.ts';
import type { Log } from '../../base/log.ts';
import { Aside } from './aside.ts';
import { BatchAnswers } from './batch-answers.ts';
import { type ForkServer, Forks } from './forks.ts';
import { LongPages } from './long-pages.ts';
import { MethodCatalogue } from './method-catalogue.ts';
import type { RpcLimits, RpcOptions } from './options.ts';
import { RequestTally } from './request-tally.ts';
import { StepThread } from './step-thread.ts';
import { SubscriptionTally } from './subscriptions.ts';
import { Turns } from './turns.ts';

/** What the adapters of a chain and of its forks share. */
export interface Family<Server extends ForkServer> {
  readonly methods: MethodCatalogue;
  readonly forks: Forks<Server>;
  readonly subscriptions: SubscriptionTally;
  readonly turns: Turns;
  /** Set if there are worker threads for views. */
  readonly aside: Aside | undefined;
  /** Set if there is a thread for long transactions. */
  readonly stepThread: StepThread | undefined;
  readonly longPages: LongPages;
  readonly batches: BatchAnswers;
  readonly tally: RequestTally;
}

/** What a chain's adapter will share with those of its forks. */
export function newFamily<Server extends ForkServer>(options: RpcOptions, limits: RpcLimits, log: Log): Family<Server> {
  const { namespaces = ['chain', 'rooch'], dev = false, workers } = options;
  return {
    methods: new MethodCatalogue(namespaces, dev, limits),
    forks: new Forks({ ...limits, log }),
    subscriptions: new SubscriptionTally(),
    turns: new Turns(),
    aside: workers === undefined || workers === 0 ? undefined : new Aside({ workers, log }),
    stepThread: stepThreadOf(workers),
    longPages: new LongPages(),
    batches: new BatchAnswers(),
    tally: new RequestTally(),
  };
}

function stepThreadOf(workers: RpcOptions['workers']): StepThread | undefined {
  if (workers === 0) return undefined;
  try {
    return new StepThread(workers === undefined ? STEP_MS_MAX_IN_PROCESS : undefined);
  } catch (error) {
    // A host without worker threads does everything on its only thread; if they were requested, `Aside` has said so.
    if (error instanceof EngineError && error.code === 'not-supported') return undefined;
    throw error;
  }
}
