/**
 * Natives of `0x2::ability`. Source: frameworks/moveos-stdlib/src/natives/moveos_stdlib/ability.rs of the reference.
 *
 * Natives of `0x2::type_info`. Source: frameworks/moveos-stdlib/src/natives/moveos_stdlib/type_info.rs of the
 * reference.
 *
 * Natives of `0x1::type_name`. Source: third_party/move/language/move-stdlib/src/natives/type_name.rs of the reference.
 * @module
 */
import { decodeUtf8, encodeUtf8 } from '../../base/bytes/bytes.ts';
import { unlessRefused } from '../../base/error.ts';
import { ABILITY_COPY, ABILITY_DROP, ABILITY_STORE, type AbilitySet } from '../../move/ability.ts';
import { MOVE_STD_ADDRESS, MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { canonicalType, displayType, parseTypeTag, type TypeTag } from '../../move/type-tag.ts';
import { PURE_TYPE_NODES_MAX } from '../../vm/link/function-instance.ts';
import { StatusCode } from '../../vm/status.ts';
import type { StructInstance } from '../../vm/value/struct.ts';
import type { Type } from '../../vm/value/type.ts';
import { ByteVector } from '../../vm/value/vector.ts';
import type { ModuleNatives } from './module-natives.ts';
import { panic } from './panic.ts';

/** Bytes of a type's name per microsecond, measured. */
const BYTES_PER_WORK = 10;

/** Microseconds for finding the abilities of a type whose name has this many bytes. */
function abilitiesWork(nameBytes: number): number {
  return Math.ceil(nameBytes / BYTES_PER_WORK);
}

export const ABILITY: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'ability' },
  natives: (prices) => {
    // Free on chains older than the native.
    const cost = prices.linearOrFree('ability.get_abilities', 'per_byte_in_str');
    return {
      native_get_abilities: (context, _signature, name: StructInstance): AbilitySet => {
        const bytes = name.f0 as ByteVector;
        context.host.work.spend(abilitiesWork(bytes.length));
        const tag = readType(bytes.view());
        if (tag === undefined) {
          return panic(context, StatusCode.TYPE_RESOLUTION_FAILURE, 'expected the name of a Move type');
        }
        context.charge(cost(bytes.length));
        return context.findType(tag)?.abilities ?? abilitiesOfUnknown(tag);
      },
    };
  },
};

function readType(bytes: Uint8Array): TypeTag | undefined {
  const text = decodeUtf8(bytes);
  return text === undefined ? undefined : unlessRefused(() => parseTypeTag(text));
}

/** An undefined struct has no abilities; a vector of such structs has those of a vector. */
function abilitiesOfUnknown(tag: TypeTag): AbilitySet {
  return tag.kind === 'struct' ? 0 : ABILITY_COPY | ABILITY_DROP | ABILITY_STORE;
}

/** The abort code for an undefined type. */
const NO_STRUCT = 1;

export const TYPE_INFO: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'type_info' },
  pure: { type_of: 'costly' },
  natives: (prices) => {
    const cost = prices.linear('type_info.type_of', 'per_byte_in_str');
    return {
      type_of: (context, { typeArguments, returns }): StructInstance => {
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

/**
 * Characters of a name that count as a microsecond: ten times the time they take, to account for the memory of cached
 * names.
 */
const CHARACTERS_PER_WORK = 200;

export const TYPE_NAME: ModuleNatives = {
  module: { address: MOVE_STD_ADDRESS, name: 'type_name' },
  pure: { get: 'costly' },
  natives: () => ({
    // Free: the reference has a price for it, but no name for that price in the schedule.
    get: (context, { typeArguments, returns }): StructInstance => {
      const typeName = returns[0]!;
      const [type] = typeArguments as [Type];
      const text = canonicalType(type.tag);
      // Results that may be cached are not counted: otherwise a node that has them cached would count less.
      if (type.nodes > PURE_TYPE_NODES_MAX) context.host.work.spend(Math.ceil(text.length / CHARACTERS_PER_WORK));
      return typeName.make(typeName.fields[0]!.make(new ByteVector(encodeUtf8(text))));
    },
  }),
};
