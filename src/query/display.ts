/**
 * Display fields: texts that a type's author wants shown with its objects, filled in from each object.
 *
 * The rules live on chain in the object `0x2::display::Display<T>`, a map from names to templates. A template's
 * `{path.to.field}` is replaced by the field's text; a placeholder for something that cannot be shown is left as is.
 * Source: moveos/moveos-types/src/moveos_std/display.rs of the reference.
 * @module
 */
import { decode, pair, string, vector } from '../base/bcs.ts';
import { decodeUtf8, toHex } from '../base/bytes/bytes.ts';
import { formatObjectId, namedObjectId } from '../chain/object/object-id.ts';
import { isDynamicField, type ObjectState } from '../chain/object/object-state.ts';
import type { State } from '../chain/state/state.ts';
import { formatAddressShort, MOVEOS_STD_ADDRESS } from '../move/address.ts';
import { annotate, type LayoutSource, type MoveValue } from '../move/layout.ts';
import { displayStruct, structTag, structType } from '../move/type-tag.ts';

/**
 * Characters with which the placeholders in one object's display fields are filled; one that would take more stays as it
 * is. A template of a hundred kilobytes that repeats a long text would make gigabytes.
 */
export const DISPLAY_CHARACTERS_MAX: number = 2 ** 20;

const templates = vector(pair(string, string));

/** Names and their texts. */
export type DisplayFields = readonly (readonly [name: string, text: string])[];

/** The display fields of an object, sorted by name; undefined when its type has none. */
export function displayFields(state: State, layouts: LayoutSource, object: ObjectState): DisplayFields | undefined {
  if (isDynamicField(object.meta)) return undefined;
  const type = structType(object.meta.objectType);
  const rules = state.object(namedObjectId(structTag(MOVEOS_STD_ADDRESS, 'display', 'Display', [type])));
  if (rules === undefined) return undefined;
  const value = annotate(layouts.layout(type), object.value);
  let room = DISPLAY_CHARACTERS_MAX;
  const fill = (template: string): string =>
    template.replace(/\{([^{}]*)\}/g, (placeholder, path: string) => {
      const text = textAt(path.split('.'), object, value);
      if (text === undefined || text.length > room) return placeholder;
      room -= text.length;
      return text;
    });
  return decode(templates, rules.value)
    .map(([name, template]) => [name, fill(template)] as const)
    .sort(([left], [right]) => (left < right ? -1 : 1));
}

/** A struct may have a field `metadata` too; only two names in all mean the object's own metadata. */
function textAt(names: readonly string[], object: ObjectState, value: MoveValue): string | undefined {
  const [first, second] = names;
  if (names.length === 2 && first === 'metadata') return metadataText(object, second);
  return leafText(follow(value, names));
}

function metadataText({ meta }: ObjectState, name: string | undefined): string | undefined {
  if (name === 'id') return formatObjectId(meta.id).slice(2);
  return name === 'owner' ? toHex(meta.owner) : undefined;
}

function follow(value: MoveValue, names: readonly string[]): MoveValue | undefined {
  let found: MoveValue | undefined = value;
  for (const name of names) {
    if (found?.kind !== 'struct') return undefined;
    const index: number = found.layout.fields.findIndex((field) => field.name === name);
    found = found.fields[index];
  }
  return found;
}

/** The reference appends the type's name to the digits of most integers. */
function leafText(value: MoveValue | undefined): string | undefined {
  switch (value?.kind) {
    case 'bool':
    case 'u64':
      return value.value.toString();
    case 'u8':
    case 'u16':
    case 'u32':
    case 'u128':
    case 'u256':
      return `${value.value}${value.kind}`;
    case 'address':
      return formatAddressShort(value.value).slice(2);
    case 'struct':
      return structText(value);
    default:
      return undefined;
  }
}

function structText({ layout, fields: [only] }: Extract<MoveValue, { kind: 'struct' }>): string | undefined {
  const type = displayStruct(layout.tag);
  if (type === '0x1::string::String' && only?.kind === 'bytes') return decodeUtf8(only.value);
  if (type !== '0x2::object::ObjectID' || only?.kind !== 'vector') return undefined;
  return only.items.map((part) => (part.kind === 'address' ? toHex(part.value) : '')).join('');
}
