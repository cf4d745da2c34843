/**
 * The parts that need no DOM: JSON as written, with all digits of numbers and the order and duplicates of members; schemas
 * of the OpenRPC document; and conversion of text to JSON by such a schema or by a Move type.
 *
 * The node encodes the values and checks them again; the checks here only name the wrong field.
 * @module
 */
export const json: string = String.raw`
/** Reads JSON into { kind, ... } nodes. Throws as JSON.parse does. */
function parseJson(text) {
  // Checks the grammar, so that the reader below only has to find where each token ends.
  JSON.parse(text);
  let at = 0;
  function skipSpace() {
    while (text.charCodeAt(at) <= 32) at++;
  }
  function readString() {
    let end = at + 1;
    for (;;) {
      end = text.indexOf('"', end);
      let escapes = 0;
      while (text[end - 1 - escapes] === '\\') escapes++;
      if (escapes % 2 === 0) break;
      end++;
    }
    const value = JSON.parse(text.slice(at, end + 1));
    at = end + 1;
    return value;
  }
  function readMembers(close, readOne) {
    at++;
    skipSpace();
    while (text[at] !== close) {
      readOne();
      skipSpace();
      if (text[at] === ',') at++;
      skipSpace();
    }
    at++;
  }
  function readValue() {
    skipSpace();
    const first = text[at];
    if (first === '"') return { kind: 'string', value: readString() };
    if (first === '{') {
      const members = [];
      readMembers('}', () => {
        const key = readString();
        skipSpace();
        at++;
        members.push([key, readValue()]);
      });
      return { kind: 'object', members };
    }
    if (first === '[') {
      const items = [];
      readMembers(']', () => items.push(readValue()));
      return { kind: 'array', items };
    }
    const start = at;
    while (at < text.length && !',]} \t\n\r'.includes(text[at])) at++;
    const token = text.slice(start, at);
    return { kind: token === 'null' || token === 'true' || token === 'false' ? token : 'number', text: token };
  }
  return readValue();
}

/** Writes nodes back, compact, or over lines when an indent is given. */
function writeJson(node, indent = '', margin = '') {
  const inner = margin + indent;
  const wrap = (open, parts, close) => {
    if (parts.length === 0) return open + close;
    if (indent === '') return open + parts.join(',') + close;
    return open + '\n' + parts.map((part) => inner + part).join(',\n') + '\n' + margin + close;
  };
  if (node.kind === 'string') return JSON.stringify(node.value);
  if (node.kind === 'array') return wrap('[', node.items.map((item) => writeJson(item, indent, inner)), ']');
  if (node.kind !== 'object') return node.text;
  const colon = indent === '' ? ':' : ': ';
  return wrap('{', node.members.map(([key, value]) => JSON.stringify(key) + colon + writeJson(value, indent, inner)), '}');
}

/** The member of an object node, or undefined. */
function member(node, key) {
  return node && node.kind === 'object' ? (node.members.find(([name]) => name === key) || [])[1] : undefined;
}

/** The value at a path of member names, as text; undefined when it is absent, null or no scalar. */
function textAt(node, ...path) {
  const found = path.reduce(member, node);
  if (!found || found.kind === 'null') return undefined;
  return found.kind === 'string' ? found.value : found.text;
}

/** Plain values, for reading documents; a number that a double cannot hold becomes its text. */
function toPlain(node) {
  if (node.kind === 'string') return node.value;
  if (node.kind === 'array') return node.items.map(toPlain);
  if (node.kind === 'number') return String(Number(node.text)) === node.text ? Number(node.text) : node.text;
  if (node.kind !== 'object') return JSON.parse(node.kind);
  const plain = Object.create(null);
  for (const [key, value] of node.members) plain[key] = toPlain(value);
  return plain;
}

/** Text of a foreign document; undefined for anything else. */
const wordsOf = (value) => (typeof value === 'string' ? value : undefined);
const listOf = (value) => (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]);
const textsOf = (value) => listOf(value).filter((each) => typeof each === 'string');

/** Follows references of the document; a broken reference accepts anything. */
function resolve(documented, schema) {
  let found = schema;
  for (let hops = 0; found && found.$ref && hops < 16; hops++) {
    found = (wordsOf(found.$ref) || '').replace(/^#\//, '').split('/').reduce((at, part) => (at ? at[part] : undefined), documented);
  }
  return found && typeof found === 'object' ? found : {};
}

/** The JSON types that a schema accepts; an empty set stands for any. */
function typesOf(documented, schema, depth = 0) {
  const found = resolve(documented, schema);
  const types = new Set(textsOf(found.type));
  for (const value of listOf(found.enum)) types.add(value === null ? 'null' : typeof value);
  if ('const' in found) types.add(found.const === null ? 'null' : typeof found.const);
  if (depth < 4) {
    for (const choice of [...listOf(found.anyOf), ...listOf(found.oneOf)]) {
      for (const type of typesOf(documented, choice, depth + 1)) types.add(type);
    }
  }
  return types;
}

/** The only values that are accepted, if they are listed. */
function choicesOf(documented, schema) {
  const found = resolve(documented, schema);
  if (Array.isArray(found.enum)) return found.enum.filter((value) => value !== null && typeof value !== 'object').map(String);
  const types = typesOf(documented, schema);
  types.delete('null');
  return types.size === 1 && types.has('boolean') ? ['true', 'false'] : undefined;
}

/** A short description of a schema. */
function describeSchema(documented, schema, depth = 0) {
  const found = resolve(documented, schema);
  const named = wordsOf(found.title) || (schema && wordsOf(schema.$ref) ? schema.$ref.split('/').pop() : undefined);
  const choices = [...listOf(found.anyOf), ...listOf(found.oneOf)];
  let text = textsOf(found.type).join(' or ');
  if (Array.isArray(found.enum)) text = found.enum.map((value) => JSON.stringify(value)).join(' or ');
  else if ('const' in found) text = JSON.stringify(found.const);
  else if (choices.length > 0 && depth < 2) {
    text = [...new Set(choices.map((choice) => describeSchema(documented, choice, depth + 1)))].join(' or ');
  } else if (found.type === 'array' && found.items && depth < 2) {
    text = 'array of ' + describeSchema(documented, found.items, depth + 1);
  } else if (found.properties && typeof found.properties === 'object' && depth < 2) {
    text = 'object { ' + Object.keys(found.properties).join(', ') + ' }';
  }
  if (!text) return named || 'any value';
  return named && named !== text ? named + ' (' + text + ')' : text;
}

/**
 * The JSON text of a field; undefined if it is empty. Throws an error for invalid text. Text that is not JSON is a string
 * if strings are accepted; so is an integer beyond the precision of a double.
 */
function encodeField(text, types) {
  const trimmed = text.trim();
  if (trimmed === '') return undefined;
  const takesString = types.size === 0 || types.has('string');
  const takesOther = types.size === 0 || [...types].some((type) => type !== 'string' && type !== 'null');
  let node;
  try {
    node = parseJson(trimmed);
  } catch (failure) {
    if (takesString) return JSON.stringify(trimmed);
    throw new Error('expected ' + [...types].join(' or ') + ' as JSON: ' + failure.message);
  }
  if (node.kind === 'string') return writeJson(node);
  if (node.kind === 'null') return types.size === 0 || types.has('null') || !takesString ? 'null' : '"null"';
  if (!takesOther) return JSON.stringify(trimmed);
  if (node.kind === 'number' && types.size > 0) {
    const takesNumber = types.has('number') || types.has('integer');
    const isSafe = !/^-?\d+$/.test(node.text) || Number.isSafeInteger(Number(node.text));
    if (takesString && (!takesNumber || !isSafe)) return JSON.stringify(node.text);
  }
  return writeJson(node);
}

/** The text of a field for a JSON value. */
function fieldText(node, types) {
  if (!node) return '';
  const takesString = types.size === 0 || types.has('string');
  if (node.kind !== 'string' || !takesString) return writeJson(node);
  // A string that would be read as another type keeps its quotes.
  try {
    return encodeField(node.value, types) === writeJson(node) ? node.value : writeJson(node);
  } catch {
    return writeJson(node);
  }
}

/** A type of an ABI without its reference: { name, inner }, where inner are the texts of its type arguments. */
function readType(text) {
  const bare = text.trim().replace(/^&(?:mut\s+)?/, '');
  const open = bare.indexOf('<');
  if (open === -1) return { name: bare, inner: [] };
  return { name: bare.slice(0, open), inner: splitTypes(bare.slice(open + 1, bare.lastIndexOf('>'))) };
}

/** Splits at commas outside of brackets. */
function splitTypes(text) {
  const parts = [''];
  let depth = 0;
  for (const character of text) {
    if (character === '<') depth++;
    if (character === '>') depth--;
    if (character === ',' && depth === 0) parts.push('');
    else parts[parts.length - 1] += character;
  }
  return parts.map((part) => part.trim());
}

const isSigner = (type) => readType(type).name === 'signer';

/** The type with the given type arguments of the call in place of T0, T1 and so on. */
function concreteType(type, typeArguments) {
  return type.replace(/(?<![:\w])T(\d+)\b/g, (parameter, index) => typeArguments[Number(index)] || parameter);
}

const STRINGS = new Set(['0x1::string::String', '0x1::ascii::String']);
const OBJECTS = new Set(['0x2::object::ObjectID', '0x2::object::Object']);

/** A short description of the text for a type. */
function describeType(type) {
  const { name, inner } = readType(type);
  if (/^u\d+$/.test(name)) return 'a whole number';
  if (name === 'address') return '0x and up to 64 hexadecimal digits, or rooch1…';
  if (STRINGS.has(name)) return 'text';
  if (OBJECTS.has(name)) return 'the id of the object, or the type of a named one';
  if (name === '0x1::option::Option') return 'nothing, or null, for none; else ' + describeType(inner[0]);
  if (name === 'vector') return inner[0] === 'u8' ? '0x and hexadecimal digits, or a JSON array' : 'a JSON array';
  return name === 'bool' ? 'true or false' : 'a JSON value';
}

/** Whether the text of a field for an option means none: null too, as for movelet run. */
const isNone = (text) => text.trim() === '' || text.trim() === 'null';

/** The JSON text of a field for a type. Throws an error for invalid text. */
function argumentJson(type, text) {
  const { name, inner } = readType(type);
  const given = text.trim();
  const bits = /^u(\d+)$/.exec(name);
  if (bits) return integerJson(given, Number(bits[1]));
  if (STRINGS.has(name)) return JSON.stringify(text);
  if (name === '0x1::option::Option') return isNone(given) ? 'null' : argumentJson(inner[0], text);
  if (name === 'bool') {
    if (given !== 'true' && given !== 'false') throw new Error('Expected true or false.');
    return given;
  }
  if (name === 'address') return matching(given, /^(?:0x[0-9a-f]{1,64}|rooch1[0-9a-z]{10,})$/i, 'an address: ' + describeType(type));
  if (OBJECTS.has(name)) return matching(given, /^0x[0-9a-f]+$|^0x[0-9a-f]+::\w+::\w+/i, 'the id of an object, 0x and hexadecimal digits, or the type of a named one');
  if (name === 'vector' && inner[0] === 'u8' && given.startsWith('0x')) {
    return matching(given, /^0x(?:[0-9a-f]{2})*$/i, 'an even number of hexadecimal digits after 0x');
  }
  let node;
  try {
    node = parseJson(given);
  } catch (failure) {
    throw new Error('Expected ' + describeType(type) + '. ' + failure.message);
  }
  if (name === 'vector' && node.kind !== 'array') throw new Error('Expected ' + describeType(type) + '.');
  return writeJson(node);
}

function integerJson(given, bits) {
  if (/^\d{1,78}$/.test(given) && BigInt(given) < 1n << BigInt(bits)) return JSON.stringify(given);
  throw new Error('Expected a whole number from 0 to ' + (bits > 32 ? '2^' + bits + ' - 1' : 2 ** bits - 1) + '.');
}

function matching(given, form, expected) {
  if (form.test(given)) return JSON.stringify(given);
  throw new Error('Expected ' + expected + '.');
}

/** The argument of movelet run for a field. */
function shellArgument(type, text) {
  return readType(type).name === '0x1::option::Option' && isNone(text) ? 'null' : text;
}
`;
