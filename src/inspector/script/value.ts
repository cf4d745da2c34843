/**
 * Move values as elements: decoded ones of the node, and arguments from their BCS and the types of an ABI.
 * @module
 */
export const value: string = String.raw`
/** A decoded value without the types and abilities around its structs. */
function bareValue(node) {
  if (node.kind === 'array') return { kind: 'array', items: node.items.map(bareValue) };
  if (node.kind !== 'object') return node;
  if (member(node, 'abilities') && member(node, 'type') && member(node, 'value')) return bareValue(member(node, 'value'));
  return { kind: 'object', members: node.members.map(([key, each]) => [key, bareValue(each)]) };
}

/** The type of a decoded struct and its members, through the wrapper of an object. */
function structOf(node) {
  const type = textAt(node, 'type');
  const inner = member(node, 'value');
  return type && member(node, 'abilities') && inner ? { type: shortName(type), inner } : undefined;
}

const VALUE_DEPTH_MAX = 8;
/** The name of a struct type. */
const TYPE = /^(?:0x)?[0-9a-f]{1,64}::\w+::[A-Z]\w*(?:<.+>)?$/;

/**
 * A decoded value: a struct as its fields, an option as its value, an object and a table as links. Deeply nested values are
 * shown as JSON. key is the name of the value's field.
 */
function valueView(node, key, depth = 0) {
  if (!node || node.kind === 'null') return hint('none');
  if (depth > VALUE_DEPTH_MAX) return jsonTree(bareValue(node), linkOf);
  const struct = structOf(node);
  if (struct) return structView(struct, key, depth);
  if (node.kind === 'object') return plainView(node.members, depth);
  if (node.kind === 'array') return listView(node.items, key, depth);
  const text = node.kind === 'string' ? node.value : node.text;
  if (TYPE.test(text)) return typeTag(shortName(text));
  const target = linkOf(key, text);
  if (target && OBJECT_ID.test(text)) return accountName(text) || ADDRESS_KEYS.has(key) ? accountTag(text) : objectTag(text);
  if (target) return element('a', { href: target }, ...breakable(short(text)));
  if (text === '') return hint('empty');
  if (/^1[4-9]\d{11}$/.test(text)) return element('span', {}, text, ' ', hint(momentText(text)));
  return /^(?:0x)?[0-9a-f]*$/.test(text) ? longText(text) : element('span', { class: 'text' }, longText(text));
}

function structView({ type, inner }, key, depth) {
  const { name, inner: types } = readType(type);
  if (name === '0x1::option::Option') {
    const items = itemsOf(member(inner, 'vec'));
    if (items.length === 0) return hint('none');
    return types[0] === 'address' ? accountTag(textAt(items[0])) : valueView(items[0], key, depth + 1);
  }
  const id = textAt(inner, 'id') || textAt(inner, 'handle', 'value', 'id');
  if (name === '0x2::object::Object' && id) return objectTag(id, types[0]);
  if (id && textAt(inner, 'handle')) return objectTag(textAt(inner, 'handle'), type);
  if (id && inner.kind === 'object' && inner.members.length === 1) return objectTag(id, type);
  if (inner.kind === 'object' && inner.members.length === 1) {
    const [[only, held]] = inner.members;
    return valueView(held, only === 'value' || only === 'vec' ? key : only, depth + 1);
  }
  return valueView(inner, key, depth + 1);
}

/** Members without a type; a lone object id or table handle is shown as such. */
function plainView(members, depth) {
  const [[name, held] = [], ...others] = members;
  const id = others.length === 0 && name === 'id' ? textAt(held) : undefined;
  if (id !== undefined && OBJECT_ID.test(id)) return objectTag(id);
  return others.length === 0 && name === 'handle' ? valueView(held, name, depth + 1) : fieldsView(members, depth);
}

const fieldsView = (members, depth) =>
  members.length === 0 ? hint('no fields') : factsList(members.map(([name, held]) => [name, valueView(held, name, depth + 1)]), { class: 'facts-list values' });

function listView(items, key, depth) {
  if (items.length === 0) return hint('empty');
  const isShort = items.every((item) => item.kind === 'number' || (item.kind === 'string' && item.value.length <= 20));
  if (isShort && items.length <= ITEMS_SHOWN) return element('span', {}, items.map((item) => textAt(item)).join(', '));
  return element('div', { class: 'list' }, shownInParts(items, (item) => element('div', {}, valueView(item, key, depth + 1))));
}

/** A value in one line: fields as name and value, an option as its value, ids shortened. */
function brief(node) {
  const text = briefText(node);
  return text.length > BRIEF_LENGTH_MAX ? text.slice(0, BRIEF_LENGTH_MAX) + '…' : text;
}

function briefText(node, isInner) {
  const struct = structOf(node);
  if (struct && struct.type.startsWith('0x1::option::Option<')) {
    const [held] = itemsOf(member(struct.inner, 'vec'));
    return held ? briefText(held, isInner) : 'none';
  }
  const inner = struct ? struct.inner : node;
  if (inner.kind === 'array') return '[' + inner.items.slice(0, ITEMS_SHOWN).map((item) => briefText(item, true)).join(', ') + ']';
  if (inner.kind !== 'object') return inner.kind === 'string' ? accountName(inner.value) || short(shortName(inner.value)) : inner.text;
  const parts = inner.members.map(([name, held]) => name + ' ' + briefText(held, true));
  return isInner && parts.length > 1 ? '{' + parts.join(', ') + '}' : parts.join(', ');
}

/** The title or name in an object's fields, or else its fields in one line. */
function labelOf(node) {
  const inner = (structOf(node) || { inner: node }).inner;
  return ['title', 'name', 'label', 'symbol'].map((name) => textAt(inner, name)).find(Boolean) || brief(node);
}

const BRIEF_LENGTH_MAX = 240;

/** The value of an argument from its BCS, as a JSON node; undefined for an unsupported type. */
function readArgument(type, hex) {
  const bytes = (hex.slice(2).match(/../g) || []).map((pair) => parseInt(pair, 16));
  let at = 0;
  const take = (count) => {
    if (at + count > bytes.length) throw new RangeError('the argument is too short');
    at += count;
    return bytes.slice(at - count, at);
  };
  const hexOf = (taken) => taken.map((byte) => byte.toString(16).padStart(2, '0')).join('');
  const length = () => {
    let result = 0;
    for (let shift = 0; ; shift += 7) {
      const [byte] = take(1);
      result += (byte & 127) * 2 ** shift;
      if (byte < 128) return result;
    }
  };
  const string = (text) => ({ kind: 'string', value: text });
  const list = (of) => ({ kind: 'array', items: Array.from({ length: length() }, () => read(of)) });
  const read = (each) => {
    const { name, inner } = readType(each);
    const bits = /^u(\d+)$/.exec(name);
    if (bits) return string(String(BigInt('0x' + hexOf(take(Number(bits[1]) / 8).reverse()))));
    if (name === 'bool') return { kind: take(1)[0] === 1 ? 'true' : 'false', text: bytes[at - 1] === 1 ? 'true' : 'false' };
    if (name === 'address') return string('0x' + hexOf(take(32)));
    if (STRINGS.has(name)) return string(new TextDecoder().decode(Uint8Array.from(take(length()))));
    if (OBJECTS.has(name)) return string('0x' + hexOf(take(32 * length())));
    if (name === '0x1::option::Option') return list(inner[0]).items[0] || { kind: 'null', text: 'null' };
    if (name === 'vector') return inner[0] === 'u8' ? string('0x' + hexOf(take(length()))) : list(inner[0]);
    throw new TypeError('no type of an argument: ' + each);
  };
  try {
    return read(type);
  } catch {
    return undefined;
  }
}
`;
