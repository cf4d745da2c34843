/**
 * What the OpenRPC document says about a parameter, and how a field's text becomes JSON accordingly.
 * @module
 */
export const schema: string = String.raw`
/** What a foreign document says where it should say text: anything else, even what cannot become text, is nothing. */
const wordsOf = (value) => (typeof value === 'string' ? value : undefined);
const listOf = (value) => (Array.isArray(value) ? value : value === undefined || value === null ? [] : [value]);
const textsOf = (value) => listOf(value).filter((each) => typeof each === 'string');

/** Follows references of the document; a reference that leads nowhere accepts anything. */
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

/** The words that are the only values, when there are such. */
function choicesOf(documented, schema) {
  const found = resolve(documented, schema);
  if (Array.isArray(found.enum)) return found.enum.filter((value) => value !== null && typeof value !== 'object').map(String);
  const types = typesOf(documented, schema);
  types.delete('null');
  return types.size === 1 && types.has('boolean') ? ['true', 'false'] : undefined;
}

/** A few words on what is accepted, for people. */
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
 * The JSON text that a field stands for: undefined when it is empty. Throws with a sentence when it cannot be read.
 * What is no JSON is a string where strings are accepted; an integer that a double cannot hold is sent as a string there.
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

/** The text with which a field shows a JSON value. */
function fieldText(node, types) {
  if (!node) return '';
  const takesString = types.size === 0 || types.has('string');
  if (node.kind !== 'string' || !takesString) return writeJson(node);
  // Text that would be read as something else than a string keeps its quotes.
  try {
    return encodeField(node.value, types) === writeJson(node) ? node.value : writeJson(node);
  } catch {
    return writeJson(node);
  }
}
`;
