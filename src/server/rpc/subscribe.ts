/**
 * What the subscribing methods share: their options, and how a subscription ends.
 * @module
 */
import { type Count, type Method, method } from './method.ts';
import { boolean, memberOr, object, optional, type Param, type Parser, required, u64 } from './param.ts';

export interface SubscriptionOptions {
  readonly from_order: bigint | undefined;
  readonly decode: boolean;
}

const NONE: SubscriptionOptions = { from_order: undefined, decode: false };

const order: Parser<bigint | undefined> = u64;

/** `subscription_option`. */
export const subscriptionOptions: Param<SubscriptionOptions, unknown> = optional(
  'subscription_option',
  object<SubscriptionOptions>({ from_order: memberOr(order, undefined), decode: memberOr(boolean, false) }),
  NONE,
  'from_order: the first transaction order, also one of the past; decode: decode the event data',
);

/** Options of a subscription as a client writes them. */
export type GivenSubscriptionOptions = { readonly from_order?: Count | null; readonly decode?: boolean | null };

export type Unsubscribe = Method<[subscription: number], boolean>;

/** A value that is not an id belongs to no subscription. */
const subscriptionId: Parser<number, unknown> = {
  schema: { type: 'integer' },
  parse: (value) => (typeof value === 'number' && Number.isSafeInteger(value) ? value : -1),
};

/** The method that ends a subscription of its connection. */
export const unsubscribe: Unsubscribe = method({
  description: 'Ends a subscription of the same connection; false when there is none of that id.',
  params: [required('subscription', subscriptionId, 'the id that subscribing gave')],
  result: { type: 'boolean' },
  errors: ['not-supported'],
  example: [1],
  handle: (context, [id]) => context.unsubscribe(id),
});
