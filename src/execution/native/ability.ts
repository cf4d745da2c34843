/**
 * Natives of `0x2::ability`. Source: frameworks/moveos-stdlib/src/natives/moveos_stdlib/ability.rs of the reference.
 * @module
 */
import { decodeUtf8 } from '../../base/bytes/utf8.ts';
import { EngineError } from '../../base/error.ts';
import { ABILITY_COPY, ABILITY_DROP, ABILITY_STORE, type AbilitySet } from '../../move/ability.ts';
import { MOVEOS_STD_ADDRESS } from '../../move/address.ts';
import { parseTypeTag, type TypeTag } from '../../move/type-tag.ts';
import type { NativeContext, NativeSignature } from '../../vm/native.ts';
import { StatusCode } from '../../vm/status.ts';
import type { StructValue } from '../../vm/value/struct.ts';
import type { ByteVector } from '../../vm/value/vector.ts';
import type { SessionHost } from '../runtime/session-host.ts';
import type { ModuleNatives } from './module-natives.ts';
import { panic } from './panic.ts';

/** Bytes of a type's name per microsecond, measured. */
const BYTES_PER_WORK = 10;

/** Microseconds that it takes to find the abilities of a type whose name has this many bytes. */
function abilitiesWork(nameBytes: number): number {
  return Math.ceil(nameBytes / BYTES_PER_WORK);
}

export const ABILITY: ModuleNatives = {
  module: { address: MOVEOS_STD_ADDRESS, name: 'ability' },
  natives: (prices) => {
    // Free on chains older than the native.
    const cost = prices.linearOrFree('ability.get_abilities', 'per_byte_in_str');
    return {
      native_get_abilities: (
        context: NativeContext<SessionHost>,
        _signature: NativeSignature,
        name: StructValue,
      ): AbilitySet => {
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
  if (text === undefined) return undefined;
  try {
    return parseTypeTag(text);
  } catch (error) {
    if (error instanceof EngineError) return undefined;
    throw error;
  }
}

/** A struct that no module defines has no abilities; a vector of such structs has those that a vector may have. */
function abilitiesOfUnknown(tag: TypeTag): AbilitySet {
  return tag.kind === 'struct' ? 0 : ABILITY_COPY | ABILITY_DROP | ABILITY_STORE;
}
