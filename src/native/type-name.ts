/**
 * Natives of `0x1::type_name`. Source: spec/execution.md 4.1.
 * @module
 */
import { encodeUtf8 } from '../bytes/utf8.ts';
import { MOVE_STD_ADDRESS } from '../move/address.ts';
import { canonicalType } from '../move/type-tag.ts';
import type { NativeContext, NativeSignature } from '../vm/native.ts';
import type { StructValue } from '../vm/value/struct.ts';
import { ByteVector } from '../vm/value/vector.ts';
import type { ModuleNatives } from './module-natives.ts';

export const TYPE_NAME: ModuleNatives = {
  module: { address: MOVE_STD_ADDRESS, name: 'type_name' },
  pure: { get: 'costly' },
  natives: () => ({
    // Free: the reference has a price for it and no name for that price in the schedule.
    get: (_context: NativeContext, { typeArguments, returns }: NativeSignature): StructValue => {
      const typeName = returns[0]!;
      const text = new ByteVector(encodeUtf8(canonicalType(typeArguments[0]!.tag)));
      return typeName.make(typeName.fields[0]!.make(text));
    },
  }),
};
