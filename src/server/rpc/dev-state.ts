/**
 * dev_fund, dev_setObject, dev_setField, dev_time, dev_setTime, dev_advanceTime: state that tests set without Move
 * code.
 * @module
 */

import { CHAIN_TIME_MS_MAX } from '../../base/config.ts';
import { EngineError } from '../../base/error.ts';
import { type ObjectId, parseObjectId } from '../../chain/object/object-id.ts';
import type { StructTag, TypeTag } from '../../move/type-tag.ts';
import type { ViewArgument } from '../../query/view-argument.ts';
import { BALANCE, type BalanceJson, balance, EXAMPLE_ACCOUNT } from './balance.ts';
import { readPinned } from './engine.ts';
import { typedValue, typeTag } from './function-call.ts';
import { type Count, devOf, type JsonObject, type Method, type MethodContext, method } from './method.ts';
import { integerTo, member, memberOr, object, type Parser, required, type Schema, u32, u256 } from './param.ts';
import { objectId, structTag, unitedAddress } from './render.ts';
import { decodedState, STATE } from './state.ts';

interface ObjectEdit {
  readonly owner: Uint8Array | undefined;
  readonly flag: number | undefined;
  readonly object_type: StructTag | undefined;
  readonly value: ViewArgument | undefined;
}

const objectEdit: Parser<ObjectEdit, unknown> = object<ObjectEdit>({
  owner: memberOr<Uint8Array | undefined>(unitedAddress, undefined),
  flag: memberOr<number | undefined>(u32, undefined),
  object_type: memberOr<StructTag | undefined>(structTag, undefined),
  value: memberOr<ViewArgument | undefined>(typedValue, undefined),
});

interface FieldEdit {
  readonly key_type: TypeTag;
  readonly key: ViewArgument;
  readonly value_type: TypeTag;
  readonly value: ViewArgument;
}

const fieldEdit: Parser<FieldEdit, unknown> = object<FieldEdit>({
  key_type: member(typeTag),
  key: member(typedValue),
  value_type: member(typeTag),
  value: member(typedValue),
});

const milliseconds: Parser<bigint, number | bigint | string> = integerTo(CHAIN_TIME_MS_MAX);
const TIME: Schema = { type: 'object', properties: { now: { type: 'string', title: 'milliseconds' } } };

/** The chain's time: milliseconds since 1970-01-01 UTC, in decimal. */
export type TimeJson = { readonly now: string };

function time(now: bigint): TimeJson {
  return { now: now.toString() };
}

/** The object that is now stored under an id. */
function stateOf(context: MethodContext, id: ObjectId): Promise<JsonObject> {
  return readPinned(devOf(context).engine, (chain) => {
    const found = chain.states.object(id);
    if (found === undefined) throw new EngineError('not-found', 'the chain went back before the answer was read');
    return decodedState({ ...context, chain }, found);
  });
}

export interface DevStateMethods {
  readonly fund: Method<[account: string, coin_type: string, amount: Count], BalanceJson>;
  readonly setObject: Method<
    [
      object_id: string,
      object: {
        readonly owner?: string | null;
        readonly flag?: Count | null;
        readonly object_type?: string | null;
        readonly value?: unknown;
      },
    ],
    JsonObject
  >;
  readonly setField: Method<
    [
      object_id: string,
      field: { readonly key_type: string; readonly key: unknown; readonly value_type: string; readonly value: unknown },
    ],
    JsonObject
  >;
  readonly time: Method<[], TimeJson>;
  readonly setTime: Method<[milliseconds: Count], TimeJson>;
  readonly advanceTime: Method<[milliseconds: Count], TimeJson>;
}

export const devStateMethods: DevStateMethods = {
  fund: method({
    description: 'Mints coins for an account, increasing the supply by that amount; returns what getBalance does.',
    params: [
      required('account', unitedAddress, 'who gets them'),
      required('coin_type', structTag, 'for example 0x3::gas_coin::RGas'),
      required('amount', u256, 'in the smallest unit'),
    ],
    result: BALANCE,
    errors: ['invalid-argument', 'transaction-rejected'],
    example: [EXAMPLE_ACCOUNT, '0x3::gas_coin::RGas', '100000000'],
    isWrite: true,
    handle: async (context, [account, coin, amount]) => {
      const { engine } = devOf(context);
      await engine.dev.fund(account, coin, amount);
      return readPinned(engine, (chain) => balance(chain.balances.get(account, coin)));
    },
  }),
  setObject: method({
    description:
      'Writes an object, or makes one; what is left out stays as it is. A value is BCS in hexadecimal, or an object by its Move type.',
    params: [
      required('object_id', objectId, 'which object'),
      required('object', objectEdit, 'owner, flag (1 shared, 2 frozen), object_type and value, or any of them'),
    ],
    result: STATE,
    errors: ['invalid-argument'],
    example: [
      `0x${'77'.repeat(32)}`,
      { owner: EXAMPLE_ACCOUNT, object_type: '0x2::timestamp::Timestamp', value: { milliseconds: '7' } },
    ],
    isWrite: true,
    handle: async (context, [id, { owner, flag, object_type: type, value }]) => {
      await devOf(context).engine.dev.setObject(id, { owner, flag, type, value });
      return stateOf(context, id);
    },
  }),
  setField: method({
    description:
      'Writes a dynamic field of an object, or adds it. Key and value are BCS in hexadecimal, or values by their Move types.',
    params: [
      required('object_id', objectId, 'the object that has the field'),
      required('field', fieldEdit, 'key_type, key, value_type and value'),
    ],
    result: STATE,
    errors: ['invalid-argument'],
    example: [EXAMPLE_ACCOUNT, { key_type: 'u8', key: 1, value_type: 'vector<u8>', value: '0x0107' }],
    isWrite: true,
    handle: async (context, [id, { key_type: keyType, key, value_type: valueType, value }]) => {
      const { engine } = devOf(context);
      const { changes } = await engine.dev.setField(id, { keyType, key, valueType, value });
      return stateOf(context, parseObjectId(changes[changes.length - 1]!.id));
    },
  }),
  time: method({
    description: "The chain's time: what a transaction sent now would see.",
    params: [],
    result: TIME,
    example: [],
    handle: (context) => time(devOf(context).engine.dev.time.now),
  }),
  setTime: method({
    description:
      "Sets the chain's time, which never goes back; a running clock continues from there, even after a restart.",
    params: [required('milliseconds', milliseconds, 'since 1970-01-01 UTC')],
    result: TIME,
    errors: ['invalid-argument'],
    example: ['4102444800000'],
    isWrite: true,
    handle: async (context, [value]) => time(await devOf(context).engine.dev.time.set(value)),
  }),
  advanceTime: method({
    description: "Moves the chain's time forward from where it is.",
    params: [required('milliseconds', milliseconds, 'how far')],
    result: TIME,
    errors: ['invalid-argument'],
    example: ['86400000'],
    isWrite: true,
    handle: async (context, [value]) => time(await devOf(context).engine.dev.time.advance(value)),
  }),
};
