/**
 * A change of an object or a field between two states: both sides, and the members that differ. Each side is decoded on
 * demand, by the modules of its own state.
 * @module
 */
import { assertFits, wholeNumber } from '../base/argument.ts';
import { equalBytes } from '../base/bytes/bytes.ts';
import { EngineError } from '../base/error.ts';
import { formatFieldKey } from '../chain/object/field-key.ts';
import { formatObjectId, parentObjectId } from '../chain/object/object-id.ts';
import { isDynamicField, type ObjectState } from '../chain/object/object-state.ts';
import type { ObjectDifference } from '../chain/state/diff.ts';
import type { DecodedValue } from '../chain/value/decoded.ts';
import { LazyReadable, plainJson } from '../chain/value/readable.ts';
import { equalStructs, structName } from '../move/type-tag.ts';
import type { Decoder } from './reader.ts';
import { ObjectValue } from './values.ts';

/** Members that the text of one change shows. */
export const CHANGE_TEXT_MEMBERS_MAX = 200;

/** Characters of one value in the text of a change. */
const CHANGE_TEXT_CHARACTERS_MAX = 200;

/** A member of an object that differs. */
export interface MemberChange {
  /** `owner`, `flag`, `type`, `updatedAt`, or a place in the value, such as `value.balance` or `value.items[3]`. */
  readonly path: string;
  /** Undefined if it did not exist. */
  readonly before: DecodedValue | undefined;
  /** Undefined if it no longer exists. */
  readonly after: DecodedValue | undefined;
}

/** The members of an object that differ. */
export interface ComparedMembers {
  /** In the order of the value, as many as were asked for. */
  readonly members: readonly MemberChange[];
  /** How many there are. */
  readonly count: number;
  /** How many parts of the two values were compared. */
  readonly parts: number;
}

/** `fields`: only the object's fields changed. */
export type StateChangeKind = 'created' | 'modified' | 'removed' | 'fields';

export interface ChangeDecoders {
  readonly before: Decoder;
  readonly after: Decoder;
}

const WHOLE = wholeNumber(0, Number.MAX_SAFE_INTEGER);

/** How an object or a field changed. */
export class StateChange extends LazyReadable {
  readonly kind: StateChangeKind;
  readonly id: string;
  readonly type: string;
  /** Whether it is a dynamic field; its parent's id is its own without the last 64 digits, which are its key. */
  readonly isField: boolean;
  /** Of a dynamic field. */
  readonly key: string | undefined;
  readonly #difference: ObjectDifference;
  readonly #decoders: ChangeDecoders;
  #compared: ComparedMembers | undefined;

  constructor(difference: ObjectDifference, decoders: ChangeDecoders) {
    super();
    const { meta } = someSide(difference);
    this.kind = changeKind(difference);
    this.id = formatObjectId(meta.id);
    this.type = structName(meta.objectType);
    this.isField = isDynamicField(meta);
    this.key = this.isField ? formatFieldKey(meta.id.at(-1)!) : undefined;
    this.#difference = difference;
    this.#decoders = decoders;
  }

  /** Both sides in bytes. @internal */
  get inside(): ObjectDifference {
    return this.#difference;
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
    return this.#compare(Number.POSITIVE_INFINITY).members;
  }

  /** The first `limit` members and their total number; for large objects at half the cost of `members`. */
  membersUpTo(limit: number): ComparedMembers {
    assertFits(limit, 'limit', WHOLE);
    return this.#compare(limit);
  }

  #compare(limit: number): ComparedMembers {
    const { before, after } = this;
    const known = this.#compared;
    if (known !== undefined && known.members.length >= Math.min(limit, known.count)) {
      return { ...known, members: known.members.slice(0, limit) };
    }
    this.#compared = compareSides(before, after, limit);
    return this.#compared;
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
    const { members, count } = this.#compare(CHANGE_TEXT_MEMBERS_MAX);
    const lines = members.map((change) => {
      return `    ${change.path}: ${shortText(change.before)} -> ${shortText(change.after)}`;
    });
    const left = count - lines.length;
    return [head, ...lines, ...(left > 0 ? [`    ... and ${left} members that are not shown`] : [])].join('\n');
  }

  #title(): string {
    const side = this.after ?? this.before;
    if (!this.isField || side === undefined) return `${this.type} ${this.id}`;
    const { id } = someSide(this.#difference).meta;
    const name = memberOf(decodedOf(side), 'name');
    return `field ${name === undefined ? this.key : shortText(name)} of ${formatObjectId(parentObjectId(id) ?? [])}`;
  }

  /** What is printed: the sides of something created or removed, the members of something modified. */
  override shown(): object {
    const { kind, id, type, isField, before, after } = this;
    // Decoding takes long: if both sides exist, they are decoded once, for the members.
    if (before !== undefined && after !== undefined) return { kind, id, type, isField, members: this.members };
    const sides = { before: before && shownSide(before), after: after && shownSide(after) };
    return { kind, id, type, isField, ...sides };
  }
}

function shownSide(side: ObjectValue): object {
  const { owner, flag } = side.meta;
  return { owner, flag, value: shownValue(side) };
}

function someSide({ before, after }: ObjectDifference): ObjectState {
  const side = after ?? before;
  if (side === undefined) throw new EngineError('invariant-violation', 'a change without an object before or after it');
  return side;
}

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

function compareSides(before: ObjectValue | undefined, after: ObjectValue | undefined, limit: number): ComparedMembers {
  const found = new Comparison(limit);
  if (before === undefined || after === undefined) return found;
  const [from, to] = [before.meta, after.meta];
  const isRetyped = from.objectType !== to.objectType;
  if (from.owner !== to.owner) found.add('owner', from.owner, to.owner);
  if (from.flag !== to.flag) found.add('flag', from.flag, to.flag);
  if (isRetyped) found.add('type', from.objectType, to.objectType);
  if (!equalBytes(before.value, after.value) || isRetyped) {
    found.compare(['value'], shownValue(before), shownValue(after));
  }
  // It changes with every write, so it is listed only if the same value was written again.
  if (found.count === 0 && from.updatedAt !== to.updatedAt) found.add('updatedAt', from.updatedAt, to.updatedAt);
  return found;
}

/** The value of an object; for a dynamic field, the value under its name. */
function shownValue(side: ObjectValue): DecodedValue {
  const decoded = decodedOf(side);
  const isField = side.meta.objectType.startsWith(DYNAMIC_FIELD);
  return (isField ? memberOf(decoded, 'value') : undefined) ?? decoded;
}

const DYNAMIC_FIELD = '0x2::object::DynamicField<';

/** The decoded value, or bytes if no module describes them. */
function decodedOf(side: ObjectValue): DecodedValue {
  try {
    return side.decoded;
  } catch (error) {
    const isUnknown = error instanceof EngineError && UNDECODED.includes(error.code);
    if (isUnknown) return side.value.slice();
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
  return Array.isArray(value);
}

/** Collects the places at which two values differ. */
class Comparison implements ComparedMembers {
  readonly members: MemberChange[] = [];
  count = 0;
  parts = 0;
  readonly #limit: number;

  /** `limit`: how many members to keep. */
  constructor(limit: number) {
    this.#limit = limit;
  }

  add(path: string, before: DecodedValue | undefined, after: DecodedValue | undefined): void {
    if (this.count++ < this.#limit) this.members.push({ path, before, after });
  }

  /** Adds every place below `path`, names of members and positions in lists, where the two values differ. */
  compare(path: (string | number)[], before: DecodedValue | undefined, after: DecodedValue | undefined): void {
    this.parts++;
    if (isStruct(before) && isStruct(after)) {
      for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
        path.push(name);
        this.compare(path, before[name], after[name]);
        path.pop();
      }
    } else if (isList(before) && isList(after)) {
      for (let index = 0; index < Math.max(before.length, after.length); index++) {
        path.push(index);
        this.compare(path, before[index], after[index]);
        path.pop();
      }
    } else if (!isSame(before, after)) {
      // Values are long, so only the paths of members that are kept become text.
      this.add(this.count < this.#limit ? pathText(path) : '', before, after);
    }
  }
}

function pathText([first, ...others]: readonly (string | number)[]): string {
  return `${first}${others.map((part) => (typeof part === 'number' ? `[${part}]` : `.${part}`)).join('')}`;
}

/** A number and its text are different values. */
function isSame(before: DecodedValue | undefined, after: DecodedValue | undefined): boolean {
  if (before === after) return true;
  // Only values with parts are compared as text.
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
