/**
 * Natives of `0x1::vector`. These functions also have instructions; calls by name come here.
 *
 * Prices count a value's *legacy size*, which is older than the sizes that instructions charge: 16 for an integer or
 * bool, 32 for an address, 2 and its parts for a struct or vector, but only the raw bytes of a vector of primitives.
 * Source: `legacy_abstract_memory_size` in `move-vm/types/src/views.rs` of the reference.
 * @module
 */
import { MOVE_STD_ADDRESS } from '../../move/address.ts';
import type { NativeContext, NativeSignature } from '../../vm/native.ts';
import { emptyVector } from '../../vm/value/generic-operations.ts';
import { ElementReference } from '../../vm/value/reference.ts';
import { PACKED_BYTES } from '../../vm/value/short-encoding.ts';
import type { StructInstance } from '../../vm/value/struct.ts';
import type { Type } from '../../vm/value/type.ts';
import type { VectorValue } from '../../vm/value/vector.ts';
import type { SessionHost } from '../runtime/session-host.ts';
import { linearCost, type ModuleNatives, type NativePrices, type Natives } from './module-natives.ts';

const INDEX_OUT_OF_BOUNDS = 1;
const POP_FROM_EMPTY = 2;
const NOT_EMPTY = 3;

/** Elements measured per microsecond. Gas does not pay for them: an empty vector of primitives has size zero. */
const MEASURED_PER_WORK = 20;
/** The price of the call covers fewer elements, and its result may be cached. */
const ELEMENTS_UNCOUNTED_MAX = 256;

const SCALAR_SIZE = 16;
const ADDRESS_SIZE = 32;
const CONTAINER_SIZE = 2;

export const VECTOR: ModuleNatives = {
  module: { address: MOVE_STD_ADDRESS, name: 'vector' },
  pure: {
    empty: 'cheap',
    length: 'cheap',
    borrow: 'cheap',
    borrow_mut: 'cheap',
    push_back: 'cheap',
    native_append: 'cheap',
    pop_back: 'cheap',
    destroy_empty: 'cheap',
    swap: 'cheap',
  },
  natives: vectorNatives,
};

function vectorNatives(prices: NativePrices): Natives {
  const price = (name: string): number => prices.of(`move_stdlib.vector.${name}.base`);
  const emptyCost = price('empty');
  const lengthCost = price('length');
  const popCost = price('pop_back');
  const destroyCost = price('destroy_empty');
  const swapCost = price('swap');
  const pushCost = linearCost(0, prices.of('move_stdlib.vector.push_back.legacy_per_abstract_memory_unit'));
  const borrow = borrowing(price('borrow'));
  return {
    empty: (context, { typeArguments }): VectorValue => {
      context.charge(emptyCost);
      return emptyVector(typeArguments[0]!);
    },

    length: (context, _signature, vector: VectorValue): bigint => {
      context.charge(lengthCost);
      return BigInt(vector.length);
    },

    borrow,
    borrow_mut: borrow,

    push_back: (context, { typeArguments }, vector: VectorValue, element: unknown): void => {
      // An empty vector of primitives has size zero, but costs as if it had one element.
      const measured = new MeasuredElements(context);
      context.charge(pushCost(Math.max(legacySize(typeArguments[0]!, element, measured), 1)));
      vector.push(element);
    },

    native_append: (context, { typeArguments }, vector: VectorValue, other: VectorValue): void => {
      context.charge(pushCost(typeArguments[0]!.nodes * other.length));
      // Moving no element is not a write: the owners of the vectors stay unmodified.
      if (other.length > 0) vector.append(other);
    },

    pop_back: (context, _signature, vector: VectorValue): unknown => {
      context.charge(popCost);
      return vector.length > 0 ? vector.pop() : context.abort(POP_FROM_EMPTY);
    },

    destroy_empty: (context, _signature, vector: VectorValue): void => {
      context.charge(destroyCost);
      if (vector.length > 0) context.abort(NOT_EMPTY);
    },

    swap: (context, _signature, vector: VectorValue, left: bigint, right: bigint): void => {
      context.charge(swapCost);
      if (left >= vector.length || right >= vector.length) context.abort(INDEX_OUT_OF_BOUNDS);
      vector.swap(Number(left), Number(right));
    },
  };
}

/** A reference to an element: the element itself if it is a struct or vector. */
function borrowing(cost: number) {
  return (context: NativeContext, { typeArguments }: NativeSignature, vector: VectorValue, index: bigint): unknown => {
    context.charge(cost);
    if (index >= vector.length) return context.abort(INDEX_OUT_OF_BOUNDS);
    const at = Number(index);
    return typeArguments[0]!.isContainer ? vector.get(at) : new ElementReference(vector, at);
  };
}

/** Counts the vector elements that a call measures as work, before they are measured. */
class MeasuredElements {
  readonly #context: NativeContext<SessionHost>;
  #count = 0;

  constructor(context: NativeContext<SessionHost>) {
    this.#context = context;
  }

  add(count: number): void {
    const before = this.#count;
    this.#count += count;
    if (this.#count <= ELEMENTS_UNCOUNTED_MAX) return;
    this.#context.keepNoResult();
    const workOf = (elements: number): number => Math.floor(elements / MEASURED_PER_WORK);
    this.#context.host.work.spend(workOf(this.#count) - workOf(before));
  }
}

function legacySize(type: Type, value: unknown, measured: MeasuredElements): number {
  switch (type.kind) {
    case 'address':
      return ADDRESS_SIZE;
    case 'signer':
      return CONTAINER_SIZE + ADDRESS_SIZE;
    case 'struct':
      return type.fields.reduce(
        (sum, field, index) => sum + legacySize(field, (value as StructInstance).getField(index), measured),
        CONTAINER_SIZE,
      );
    case 'vector': {
      const vector = value as VectorValue;
      const packed = type.item.kind === 'signer' ? undefined : PACKED_BYTES[type.item.kind];
      if (packed !== undefined) return vector.length * packed;
      measured.add(vector.length);
      let sum = CONTAINER_SIZE;
      for (let index = 0; index < vector.length; index++) sum += legacySize(type.item, vector.get(index), measured);
      return sum;
    }
    default:
      return SCALAR_SIZE;
  }
}
