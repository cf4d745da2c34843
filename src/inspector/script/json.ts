/**
 * JSON as written: numbers keep all their digits, members their order and duplicates.
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
`;
