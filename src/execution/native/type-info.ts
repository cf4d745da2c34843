/**
 * Natives of `0x2::type_info`. Source: frameworks/moveos-stdlib/src/natives/moveos_stdlib/type_info.rs of the reference.
 * @module
 */
import { encodeUtf8 } from '../../base/bytes/utf8.ts';
import { MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { displayType } from '../../move/type-tag.ts';
import type { NativeContext, NativeSignature } from '../../vm/native.ts';
import type { StructValue } from '../../vm/value/struct.ts';
import { ByteVector } from '../../vm/value/vector.ts';
import type { ModuleNatives } from './module-natives.ts';

/** The abort code for a type that no module defines. */
const NO_STRUCT = 1;

export const TYPE_INFO: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'type_info' },
  pure: { type_of: 'costly' },
  natives: (prices) => {
    const cost = prices.linear('type_info.type_of', 'per_byte_in_str');
    return {
      type_of: (context: NativeContext, { typeArguments, returns }: NativeSignature): StructValue => {
        const { tag } = typeArguments[0]!;
        // Names of types are ASCII: as many bytes as characters.
        context.charge(cost(displayType(tag).length));
        if (tag.kind !== 'struct') return context.abort(NO_STRUCT);
        const { address, module, name, typeArguments: inner } = tag.struct;
        const parameters = inner.length === 0 ? '' : `<${inner.map(displayType).join(', ')}>`;
        return returns[0]!.make(address, textVector(module), textVector(`${name}${parameters}`));
      },
    };
  },
};

function textVector(text: string): ByteVector {
  return new ByteVector(encodeUtf8(text));
}
