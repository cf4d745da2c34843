/**
 * A change of an object or a field between two states, as programs get it: both sides, and which members differ. Each
 * side is decoded on demand, by the modules of its own state.
 * @module
 */

import { equalBytes } from '../bytes/compare.ts';
import { CHANGE_TEXT_CHARACTERS_MAX, CHANGE_TEXT_MEMBERS_MAX } from '../config.ts';
import { EngineError } from '../error.ts';
import { displayStruct, equalStructs } from '../move/type-tag.ts';
import { formatObjectId, parentObjectId } from '../object/object-id.ts';
import { isDynamicField } from '../object/object-meta.ts';
import type { ObjectState } from '../object/object-state.ts';
import type { ObjectDifference } from '../state/diff.ts';
import { printAs } from '../value/byte-value.ts';
import type { DecodedValue } from '../value/decoded.ts';
import { BytesValue } from '../value/hash.ts';
import { ObjectIdValue } from '../value/object-id.ts';
import { type PlainJson, plainJson, Readable } from '../value/readable.ts';
import { type StructTagValue, structTagValue } from '../value/type-tag.ts';
import { ObjectValue } from './object-value.ts';
import type { Decoder } from './reader.ts';

/** A member of an object that differs. */
export interface MemberChange {
  /** `owner`, `flag`, `type`, `updatedAt`, or a place in the value, such as `value.balance` or `value.items[3]`. */
  readonly path: string;
  /** Undefined if it did not exist. */
  readonly before: DecodedValue | undefined;
  /** Undefined if it no longer exists. */
  readonly after: DecodedValue | undefined;
}

/** `fields`: only the object's fields changed. */
export type StateChangeKind = 'created' | 'modified' | 'removed' | 'fields';

/** The decoders of the two sides. */
export interface ChangeDecoders {
  readonly before: Decoder;
  readonly after: Decoder;
}

/** How an object or a field changed. */
export class StateChange extends Readable {
  readonly kind: StateChangeKind;
  readonly id: ObjectIdValue;
  readonly type: StructTagValue;
  /** Whether it is a dynamic field; its parent's id is its own without the last part. */
  readonly isField: boolean;
  readonly #difference: ObjectDifference;
  readonly #decoders: ChangeDecoders;
  #members: readonly MemberChange[] | undefined;

  constructor(difference: ObjectDifference, decoders: ChangeDecoders) {
    super();
    const { meta } = someSide(difference);
    this.kind = changeKind(difference);
    this.id = new ObjectIdValue(meta.id);
    this.type = structTagValue(meta.objectType);
    this.isField = isDynamicField(meta);
    this.#difference = difference;
    this.#decoders = decoders;
  }

  /** The object before; undefined if it was created. */
  get before(): ObjectValue | undefined {
    const { before } = this.#difference;
    return before && new ObjectValue(before, this.#decoders.before);
  }

  /** The object after; undefined if it was removed. */
  get after(): ObjectValue | undefined {
    const { after } = this.#difference;
    return after && new ObjectValue(after, this.#decoders.after);
  }

  /**
   * The differences within an object present in both states. A value that no module of its state describes is shown as
   * bytes.
   * @throws {EngineError} `not-found` when the chain was reverted since
   */
  get members(): readonly MemberChange[] {
    this.#members ??= membersOf(this.before, this.after);
    return this.#members;
  }

  /** For people: one line, and one more for each member. */
  override toString(): string {
    const { before, after } = this;
    const side = after ?? before;
    const sign = { created: '+', removed: '-', modified: '~', fields: '.' }[this.kind];
    const head = `${sign} ${this.#title()}`;
    if (before === undefined || after === undefined) {
      return `${head}\n    value: ${shortText(side === undefined ? undefined : shownValue(side))}`;
    }
    const { members } = this;
    const lines = members.slice(0, CHANGE_TEXT_MEMBERS_MAX).map((change) => {
      return `    ${change.path}: ${shortText(change.before)} -> ${shortText(change.after)}`;
    });
    const left = members.length - lines.length;
    return [head, ...lines, ...(left > 0 ? [`    ... and ${left} members that are not shown`] : [])].join('\n');
  }

  #title(): string {
    const side = this.after ?? this.before;
    const { id } = this;
    if (!this.isField || side === undefined) return `${displayStruct(this.type)} ${id}`;
    const name = memberOf(decodedOf(side), 'name');
    return `field ${name === undefined ? id.at(-1) : shortText(name)} of ${formatObjectId(parentObjectId(id) ?? [])}`;
  }

  /** What is printed: the sides of something created or removed, the members of something modified. */
  shown(): object {
    const { kind, id, type, isField, before, after } = this;
    // Two sides are decoded once, for the members: it takes long.
    if (before !== undefined && after !== undefined) return { kind, id, type, isField, members: this.members };
    const sides = { before: before && shownSide(before), after: after && shownSide(after) };
    return { kind, id, type, isField, ...sides };
  }

  override toJSON(): PlainJson {
    return plainJson(this.shown());
  }
}

printAs(StateChange, (value, options, inspect) => inspect(value.shown(), options));

function shownSide(side: ObjectValue): object {
  const { owner, flag } = side.meta;
  return { owner, flag, value: shownValue(side) };
}

function someSide({ before, after }: ObjectDifference): ObjectState {
  const side = after ?? before;
  if (side === undefined) throw new EngineError('invariant-violation', 'a change without an object before or after it');
  return side;
}

/** How an object changed. */
export function changeKind({ before, after }: ObjectDifference): StateChangeKind {
  if (before === undefined) return 'created';
  if (after === undefined) return 'removed';
  return isSameButForFields(before, after) ? 'fields' : 'modified';
}

function isSameButForFields(before: ObjectState, after: ObjectState): boolean {
  const [from, to] = [before.meta, after.meta];
  const isSameMeta =
    from.flag === to.flag &&
    from.createdAt === to.createdAt &&
    from.updatedAt === to.updatedAt &&
    equalBytes(from.owner, to.owner) &&
    equalStructs(from.objectType, to.objectType);
  return isSameMeta && equalBytes(before.value, after.value);
}

function membersOf(before: ObjectValue | undefined, after: ObjectValue | undefined): MemberChange[] {
  if (before === undefined || after === undefined) return [];
  const members: MemberChange[] = [];
  const [from, to] = [before.meta, after.meta];
  const isRetyped = !equalStructs(from.objectType, to.objectType);
  if (!equalBytes(from.owner, to.owner)) members.push({ path: 'owner', before: from.owner, after: to.owner });
  if (from.flag !== to.flag) members.push({ path: 'flag', before: from.flag, after: to.flag });
  if (isRetyped) members.push({ path: 'type', before: String(from.objectType), after: String(to.objectType) });
  if (!equalBytes(before.value, after.value) || isRetyped)
    compare(['value'], shownValue(before), shownValue(after), members);
  // It changes with every write, so it is news only if the same value was written again.
  if (members.length === 0 && from.updatedAt !== to.updatedAt) {
    members.push({ path: 'updatedAt', before: from.updatedAt, after: to.updatedAt });
  }
  return members;
}

/** The value of an object; for a dynamic field, the value under its name. */
function shownValue(side: ObjectValue): DecodedValue {
  const decoded = decodedOf(side);
  return (isDynamicField(side.meta) ? memberOf(decoded, 'value') : undefined) ?? decoded;
}

/** The decoded value, or bytes if no module describes them. */
function decodedOf(side: ObjectValue): DecodedValue {
  try {
    return side.decoded;
  } catch (error) {
    const isUnknown = error instanceof EngineError && UNDECODED.includes(error.code);
    if (isUnknown) return new BytesValue(side.value);
    throw error;
  }
}

const UNDECODED: readonly string[] = ['not-found', 'malformed-bytes', 'limit-exceeded'];

function memberOf(value: DecodedValue, name: string): DecodedValue | undefined {
  return isStruct(value) && Object.hasOwn(value, name) ? value[name] : undefined;
}

function isStruct(value: unknown): value is { readonly [name: string]: DecodedValue } {
  return typeof value === 'object' && value !== null && !Array.isArray(value) && !(value instanceof Uint8Array);
}

function isList(value: unknown): value is readonly DecodedValue[] {
  return Array.isArray(value) && !(value instanceof ObjectIdValue);
}

/** Adds every place below `path` where the two values differ. A path becomes text only there: values are long. */
function compare(
  path: string[],
  before: DecodedValue | undefined,
  after: DecodedValue | undefined,
  members: MemberChange[],
): void {
  if (isStruct(before) && isStruct(after)) {
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      path.push(`.${name}`);
      compare(path, before[name], after[name], members);
      path.pop();
    }
  } else if (isList(before) && isList(after)) {
    for (let index = 0; index < Math.max(before.length, after.length); index++) {
      path.push(`[${index}]`);
      compare(path, before[index], after[index], members);
      path.pop();
    }
  } else if (!isSame(before, after)) members.push({ path: path.join(''), before, after });
}

/** A number and its text are different values. */
function isSame(before: DecodedValue | undefined, after: DecodedValue | undefined): boolean {
  if (before === after) return true;
  // Only what has parts must be written to be compared.
  return typeof before === 'object' && typeof after === 'object' && textOf(before) === textOf(after);
}

function textOf(value: DecodedValue | undefined): string {
  return `${typeof value} ${value === undefined ? '' : JSON.stringify(plainJson(value))}`;
}

function shortText(value: DecodedValue | undefined): string {
  if (value === undefined) return 'nothing';
  const text = typeof value === 'bigint' ? String(value) : JSON.stringify(plainJson(value));
  return text.length <= CHANGE_TEXT_CHARACTERS_MAX ? text : `${text.slice(0, CHANGE_TEXT_CHARACTERS_MAX)}...`;
}
