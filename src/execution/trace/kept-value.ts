/**
 * Values of a trace: their BCS when they were recorded, decoded on demand.
 * @module
 */
import { type DecodedValue, decodedValue } from '../../chain/value/decoded.ts';
import { LazyReadable, plainJson } from '../../chain/value/readable.ts';
import { annotate, type Layout } from '../../move/layout.ts';
import { type TypeTag, typeName } from '../../move/type-tag.ts';
import type { Type } from '../../vm/value/type.ts';

/** BCS; undefined for a value that is longer than TRACE_VALUE_BYTES_MAX, came too late, or whose type has no layout. */
export type KeptValue = Uint8Array | undefined;

/** The overhead of a kept value in bytes, counted against TRACE_BYTES_MAX. */
export const KEPT_VALUE_BYTES = 128;

function targetOf(type: Type): Type {
  return type.isReference ? type.item : type;
}

/** A value as data that can be sent in a message. */
export interface TraceValueParts {
  readonly tag: TypeTag;
  readonly layout: Layout;
  readonly bytes: KeptValue;
}

/** An argument, a result, an event, or a printed value. */
export class TraceValue extends LazyReadable {
  readonly #tag: TypeTag;
  readonly #layout: () => Layout;
  /** BCS; undefined for a value that is longer than TRACE_VALUE_BYTES_MAX, or came after TRACE_BYTES_MAX was reached. */
  readonly bytes: Uint8Array | undefined;
  #value: DecodedValue | undefined;

  constructor(type: Type | Pick<TraceValueParts, 'tag' | 'layout'>, bytes: KeptValue) {
    super();
    const isKnown = 'layout' in type;
    this.#tag = isKnown ? type.tag : targetOf(type).tag;
    this.#layout = () => (isKnown ? type.layout : layoutOf(type));
    this.bytes = bytes?.slice();
  }

  /** For another thread. @internal */
  get parts(): TraceValueParts {
    return { tag: this.#tag, layout: this.#layout(), bytes: this.bytes && new Uint8Array(this.bytes) };
  }

  /** The type. @internal */
  get inside(): TypeTag {
    return this.#tag;
  }

  /** For a reference, the type that it refers to. */
  get type(): string {
    return typeName(this.#tag);
  }

  /** As a JavaScript value (value/decoded.ts). Undefined if `bytes` is. */
  get value(): DecodedValue | undefined {
    if (this.bytes === undefined) return undefined;
    this.#value ??= decodedValue(annotate(this.#layout(), this.bytes));
    return this.#value;
  }

  /** The value in one line. */
  override toString(): string {
    return this.bytes === undefined ? '(not kept)' : valueText(this.value!);
  }

  override shown(): object {
    const { type, value } = this;
    return { type, value };
  }
}

/** The text of an address or an object id. */
const HEX = /^0x[0-9a-f]{64,}$/;

/** A value in one line: addresses, bytes and numbers as they are, everything else as JSON. */
export function valueText(value: DecodedValue): string {
  const isPlain = typeof value !== 'object' || value === null;
  if (isPlain && (typeof value !== 'string' || HEX.test(value))) return String(value);
  const json = JSON.stringify(plainJson(value));
  return isPlain || !json.startsWith('"') ? json : json.slice(1, -1);
}

/** The layout according to the machine that ran the code: the chain's modules may have changed since. */
function layoutOf(type: Type): Layout {
  switch (type.kind) {
    case 'struct': {
      const { fieldNames } = type.struct;
      const fields = type.fields.map((field, index) => ({ name: fieldNames[index]!, layout: layoutOf(field) }));
      return { kind: 'struct', tag: type.structTag, abilities: type.abilities, fields };
    }
    case 'vector':
      return { kind: 'vector', item: layoutOf(type.item) };
    case 'reference':
    case 'mutableReference':
      return layoutOf(type.item);
    default:
      return { kind: type.kind };
  }
}
