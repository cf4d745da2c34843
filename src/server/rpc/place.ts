/**
 * The state at which a method reads: that of the head, unless an option names an earlier one by its root or by the
 * order of the transaction that produced it.
 * @module
 */
import { EngineError } from '../../base/error.ts';
import type { RpcChain } from './engine.ts';
import type { Count, MethodContext } from './method.ts';
import { hash, isObject, memberOr, optional, type Param, type Parser, readOptions, u64 } from './param.ts';

/** An earlier state as a client names it, by one of the two members. */
export type GivenPlace = {
  readonly stateRoot?: string | null;
  readonly order?: Count | null;
};

/** An earlier state, or the head's if neither is given. */
export interface Place {
  readonly stateRoot: Uint8Array | undefined;
  readonly order: bigint | undefined;
}

type PlaceMember<T> = { parser: Parser<T | undefined>; fallback: { value: T | undefined } };

/** The members of an option that names a state. */
export const placeMembers: {
  readonly stateRoot: PlaceMember<Uint8Array>;
  readonly order: PlaceMember<bigint>;
} = {
  stateRoot: memberOr<Uint8Array | undefined>(hash, undefined),
  order: memberOr<bigint | undefined>(u64, undefined),
};

/** `option` of a method that reads a state and has no other options. */
export const placeOption: Param<Place, GivenPlace | null | undefined> = optional(
  'option',
  readOptions<Place>(placeMembers) as Parser<Place, GivenPlace>,
  { stateRoot: undefined, order: undefined },
  'stateRoot or order: read at this state root, or at the state that the transaction at this order left',
);

/** The chain at the named state, for methods that use no index; an error names the member of the option. */
export function chainAt({ chain }: Pick<MethodContext, 'chain'>, { stateRoot, order }: Place): RpcChain {
  if (order !== undefined && stateRoot !== undefined) {
    throw new EngineError('invalid-argument', 'expected stateRoot or order, got both', {
      details: { expected: 'stateRoot or order', received: 'both' },
    });
  }
  const place = order ?? stateRoot;
  if (place === undefined) return chain;
  try {
    return chain.at(place);
  } catch (cause) {
    if (!(cause instanceof EngineError)) throw cause;
    const message = cause.message.replace(/^rootOrOrder(?=: )/, order === undefined ? 'stateRoot' : 'order');
    throw new EngineError(cause.code, message, { details: cause.details, cause });
  }
}

/**
 * @throws {EngineError} `not-supported` for options that name an earlier state if an index answers; `what` begins the
 * message
 */
export function assertPresent(options: unknown, what: string): void {
  if (!isObject(options)) return;
  const named = ['stateRoot', 'order'].some((name) => options[name] !== undefined && options[name] !== null);
  if (!named) return;
  throw new EngineError(
    'not-supported',
    `${what} comes from an index, which is of the present only: expected no stateRoot or order; objects by their ids, fields, balances, views and proofs can be had at one`,
  );
}

/** `option` of a list answered from an index: it may not name a state. */
export function presentOption(what: string): Param<undefined, unknown> {
  const none = readOptions({});
  const parser: Parser<undefined, unknown> = {
    schema: { type: 'object', title: 'no option' },
    parse: (value) => {
      assertPresent(value, what);
      none.parse(value);
      return undefined;
    },
  };
  return optional('option', parser, undefined, 'none: the list comes from an index, which is of the present only');
}
