/**
 * What an adapter shares with those of its forks: they share the thread, and limits apply to all of them together.
 * @module
 */
import type { Log } from '../../base/log.ts';
import { RequestTally } from '../metrics.ts';
import { Aside } from './aside.ts';
import { BatchAnswers } from './batch-answers.ts';
import { type ForkServer, Forks } from './forks.ts';
import { LongPages } from './long-pages.ts';
import { MethodCatalogue } from './method-catalogue.ts';
import type { RpcLimits, RpcOptions } from './options.ts';
import { SubscriptionTally } from './subscriptions.ts';
import { Turns } from './turns.ts';

/** What the adapters of a chain and of its forks share. */
export interface Family<Server extends ForkServer> {
  readonly methods: MethodCatalogue;
  readonly forks: Forks<Server>;
  readonly subscriptions: SubscriptionTally;
  readonly turns: Turns;
  readonly aside: Aside;
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
    aside: new Aside({ workers, log }),
    longPages: new LongPages(),
    batches: new BatchAnswers(),
    tally: new RequestTally(),
  };
}
