/**
 * Arguments of Move functions: converts a field's text to JSON by the type in the module's ABI.
 *
 * The node encodes the values and checks them again; the checks here serve to name the field that is wrong.
 * @module
 */
export const moveArgument: string = String.raw`
/** A type of an ABI without its reference: { name, inner }, where inner are the texts of its type arguments. */
function readType(text) {
  const bare = text.trim().replace(/^&(?:mut\s+)?/, '');
  const open = bare.indexOf('<');
  if (open === -1) return { name: bare, inner: [] };
  return { name: bare.slice(0, open), inner: splitTypes(bare.slice(open + 1, bare.lastIndexOf('>'))) };
}

/** Splits at commas that stand in no brackets. */
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

/** The type with the type arguments of the call in the place of T0, T1 and so on, as far as they are given. */
function concreteType(type, typeArguments) {
  return type.replace(/(?<![:\w])T(\d+)\b/g, (parameter, index) => typeArguments[Number(index)] || parameter);
}

const STRINGS = new Set(['0x1::string::String', '0x1::ascii::String']);
const OBJECTS = new Set(['0x2::object::ObjectID', '0x2::object::Object']);

/** What a field for a type takes, in a few words. */
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

/** Whether the text of a field for an option stands for none: null too, as for movelet run, which the page shows. */
const isNone = (text) => text.trim() === '' || text.trim() === 'null';

/** The JSON text that a field for a type stands for. Throws with a sentence when it holds no such value. */
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

/** What movelet run takes for a field. */
function shellArgument(type, text) {
  return readType(type).name === '0x1::option::Option' && isNone(text) ? 'null' : text;
}
`;
