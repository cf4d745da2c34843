/**
 * dev_trace: what a transaction did, call by call.
 * @module
 */
import { type Count, devOf, type JsonObject, type Method, method } from './method.ts';
import { boolean, hashOrOrder, memberOr, object, optional, required, type Schema } from './param.ts';
import { type TraceParts, traceJson } from './trace.ts';

const parts = optional(
  'option',
  object<TraceParts>({ calls: memberOr(boolean, false), profile: memberOr(boolean, false) }),
  { calls: false, profile: false },
  'calls: the tree of calls too; profile: a gas profile for speedscope too',
);

/** The parts of a trace in an answer. */
const TRACED: Schema = {
  type: 'object',
  title:
    'text, gas_used, gas_before, is_truncated, omitted_calls, failure, functions, accesses, events, prints, calls, profile',
};

export interface DevTraceMethods {
  readonly trace: Method<
    [
      transaction: Count | string,
      option?: { readonly calls?: boolean | null; readonly profile?: boolean | null } | null,
    ],
    JsonObject
  >;
}

export const devTraceMethods: DevTraceMethods = {
  trace: method({
    description:
      'Runs a transaction of this chain again on the state before it and says what it did: calls, reads, writes, events, prints, gas by function. The outcome must be the same as before.',
    params: [required('transaction', hashOrOrder, 'its hash, or its order'), parts],
    result: TRACED,
    runsOnWorker: true,
    errors: ['not-found', 'not-supported', 'pruned'],
    example: ['1'],
    handle: (context, [given, option]) => traceJson(devOf(context).engine.trace(given), option),
  }),
};
