/**
 * What an adapter has in common with those of its forks: they share the thread, and bounds hold for all of them together.
 * @module
 */
import type { Log } from '../log.ts';
import { Aside } from './aside.ts';
import { type ForkServer, Forks } from './forks.ts';
import { LongPages } from './long-pages.ts';
import { MethodCatalogue } from './method-catalogue.ts';
import type { RpcLimits, RpcOptions } from './options.ts';
import { RequestTally } from './request-tally.ts';
import { SubscriptionTally } from './subscriptions.ts';
import { Turns } from './turns.ts';

/** What the adapters of a chain and of its forks share. */
export interface Family<Server extends ForkServer> {
  readonly methods: MethodCatalogue;
  readonly forks: Forks<Server>;
  readonly subscriptions: SubscriptionTally;
  readonly turns: Turns;
  /** Set if there are worker threads. */
  readonly aside: Aside | undefined;
  readonly longPages: LongPages;
  readonly tally: RequestTally;
}

/** What the adapter of a chain shares with those of the forks that will be made. */
export function newFamily<Server extends ForkServer>(options: RpcOptions, limits: RpcLimits, log: Log): Family<Server> {
  const { namespaces = ['chain', 'rooch'], dev = false, workers } = options;
  return {
    methods: new MethodCatalogue(namespaces, dev, limits),
    forks: new Forks({ ...limits, log }),
    subscriptions: new SubscriptionTally(),
    turns: new Turns(),
    aside: asideOf(workers, log),
    longPages: new LongPages(),
    tally: new RequestTally(),
  };
}

function asideOf(workers: RpcOptions['workers'] = 0, log: Log): Aside | undefined {
  return workers === 0 ? undefined : new Aside({ workers, log });
}
