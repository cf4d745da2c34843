/**
 * Natives of `0x1::type_name`. Source: third_party/move/language/move-stdlib/src/natives/type_name.rs of the reference.
 * @module
 */

import { encodeUtf8 } from '../../base/bytes/utf8.ts';
import { MOVE_STD_ADDRESS } from '../../move/address.ts';
import { canonicalType } from '../../move/type-tag.ts';
import { PURE_TYPE_NODES_MAX } from '../../vm/link/purity.ts';
import type { NativeContext, NativeSignature } from '../../vm/native.ts';
import type { StructValue } from '../../vm/value/struct.ts';
import type { Type } from '../../vm/value/type.ts';
import { ByteVector } from '../../vm/value/vector.ts';
import type { SessionHost } from '../runtime/session-host.ts';
import type { ModuleNatives } from './module-natives.ts';

/**
 * Characters of a name that count as a microsecond: ten times what they take, to account for the memory of cached
 * names.
 */
const CHARACTERS_PER_WORK = 200;

export const TYPE_NAME: ModuleNatives = {
  module: { address: MOVE_STD_ADDRESS, name: 'type_name' },
  pure: { get: 'costly' },
  natives: () => ({
    // Free: the reference has a price for it, but no name for that price in the schedule.
    get: (context: NativeContext<SessionHost>, { typeArguments, returns }: NativeSignature): StructValue => {
      const typeName = returns[0]!;
      const [type] = typeArguments as [Type];
      const text = canonicalType(type.tag);
      // Results that may be cached are not counted: otherwise a node that has them cached would count less.
      if (type.nodes > PURE_TYPE_NODES_MAX) context.host.work.spend(Math.ceil(text.length / CHARACTERS_PER_WORK));
      return typeName.make(typeName.fields[0]!.make(new ByteVector(encodeUtf8(text))));
    },
  }),
};
