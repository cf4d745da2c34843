// `npm run rpc-page`, and the last step of a build: writes docs/rpc.md from the document of `rpc.discover` and from what
// its examples answer on new chains.
import { writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const HEAD = `# JSON-RPC methods

\`rpc.discover\` returns the same information as an OpenRPC document, which is enough to generate a client;
\`movelet call METHOD PARAMS\` sends a request from the command line.

Parameters are given by position, or by name in an object, where a name that the method does not have is refused. Optional ones may be left out or null. In this page:

| type | JSON |
| --- | --- |
| integer | a number, or decimal text, for any u64 |
| address | text: \`0x\` and up to 64 hex digits, \`rooch1...\`, or a Bitcoin address of any network |
| object id | text: \`0x\` and hex digits, or the type of a named object |
| type tag | text such as \`0x3::coin_store::CoinStore<0x3::gas_coin::RGas>\` |
| hash, bytes | text in hexadecimal, with or without \`0x\`; a hash has 64 digits |
| cursor | \`next_cursor\` of the page before |
| value by its Move type | numbers, text, arrays and objects as the type asks for; bytes in hexadecimal |

A page is \`{ data, next_cursor, has_next_page }\`. The last page has \`has_next_page\` false; \`next_cursor\` need not be null: a
page without items repeats the cursor of the request, so that a client that asks again later continues from there. A method
with a \`chain_\` and a \`rooch_\` name answers in the forms of the interface under the first, and in those of the current
reference network under the second; the examples show the first. \`btc_\` and \`dev_\` methods answer in the forms of the
connection (\`--wire\`, or the base path \`/rooch\`).

**Errors.** A wrong parameter is error -32602 with \`data.code\` \`invalid-argument\` and its path in \`data.path\`. If a method
refuses for another reason, the answer is usually error 2 with a code that its section lists. Any method may answer
\`limit-exceeded\` (the node is busy, or the answer too large), \`state-not-loaded\` (on a chain that holds only part of its
state), \`closed\` or \`corrupt\`. [Errors](errors.md) explains the codes and the numbers, [limits](limits.md) what one request
may take.

**Subscriptions** push notifications over WebSocket, stdio and MessagePorts. \`method\` names the method that subscribed:
\`{"jsonrpc":"2.0","method":"chain_subscribeEvents","params":{"subscription":1,"result":{...}}}\`. Instead of \`result\` there
may be \`"reverted":{"next_order":"7"}\`: the chain of a test node was reverted to a snapshot, and orders are sent again from
there; or \`error\`, whose \`message\` says why the subscription has ended, for instance because its client is too slow, and
whose \`data.from_order\` is where a new subscription continues. \`GET /subscribe/sse/events?filter=JSON\` and
\`/subscribe/sse/transactions?filter=JSON\` offer the same as streams, for clients that only read. The filter is URL-encoded;
\`&from_order=7\` and \`&forms=interface\` are optional. The server-sent events are \`message\`, \`reverted\` and \`error\`; the last
one of an order has the order as its \`id\`, so a browser that reconnects continues after it. A stream without \`from_order\`
begins with an \`id\` alone, so that this also holds before the first event. If its \`id\` is beyond the head, because the chain
was started anew or reverted meanwhile, the stream begins with \`reverted\`; that of a node that shares a commit log, and may
be behind, waits. A \`from_order\` beyond the head is always waited for: after a reconnection, compare it with \`last_order\` of
\`chain_status\`.

The example answers come from a new local chain. Long text and long arrays are cut at \`…\`.
`;

const FAMILIES = [
  ['Chain', 'chain_'],
  ['Bitcoin', 'btc_'],
  ['Test node', 'dev_'],
  [
    'Rows for forks',
    'movelet_',
    'A movelet on another machine [forks a chain](fork-a-chain.md) with these methods. They are enabled by `movelet serve\n--serve-nodes`, or `createRpc(engine, { serveNodes: true })`.\n',
  ],
];

function pageOf(methods) {
  const names = new Set(methods.map(({ method }) => method.name));
  const sections = FAMILIES.map(([title, prefix, ...notes]) => {
    const own = methods.filter(({ method }) => method.name.startsWith(prefix));
    const links = own.map(({ method: { name } }) => `[${name.slice(prefix.length)}](#${name.toLowerCase()})`);
    return [`## ${title}\n`, ...notes, `${links.join(', ')}\n`, ...own.map((one) => section(one, names))].join('\n');
  });
  return [HEAD, ...sections].join('\n');
}

function section({ method, params: shown, answer }, names) {
  const { name, description, params, result } = method;
  const other = name.replace(/^chain_/, 'rooch_');
  const also = other !== name && names.has(other) ? [`Also \`${other}\`.`] : [];
  const table = params.map(({ name: param, description: what, required, schema }) =>
    row(`\`${param}\``, `${typeText(schema)}${required === true ? '' : ', optional'}`, what),
  );
  const codes = method['x-error-codes'].map((code) => `\`${code}\``);
  const given = JSON.stringify(shown.map(shortened));
  return [
    `### ${name}\n`,
    `${[description, ...also].join(' ')}\n`,
    ...(table.length > 0 ? [row('parameter', 'type', ''), row('---', '---', '---'), ...table, ''] : []),
    `Returns ${typeText(result.schema)}.${codes.length > 0 ? ` Errors: ${codes.join(', ')}.` : ''}\n`,
    '```json',
    `{"jsonrpc":"2.0","id":1,"method":"${name}","params":${given}}`,
    ...(answer === undefined ? [] : [json(shortened(answer))]),
    '```\n',
  ].join('\n');
}

const row = (...cells) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

const PATTERNS = {
  '^[0-9]+$': 'decimal text',
  '^(0x)?[0-9a-fA-F]{64}$': 'hash',
  '^[0-9a-fA-F]{64}$': '64 hex digits',
  '^(0x)?([0-9a-fA-F]{2})*$': 'bytes',
};
const NAMES = { string: 'text', integer: 'number', null: 'null' };

function typeText(schema) {
  const text = bareType(schema);
  return schema.description === undefined ? text : `${text} (${schema.description})`;
}

function bareType({ type, title, pattern, enum: values, oneOf, items, maxItems, properties, required }) {
  if (oneOf !== undefined) return alternatives(oneOf);
  if (values !== undefined) return values.map((value) => `\`${JSON.stringify(value)}\``).join(' or ');
  if (properties !== undefined) {
    const isPage = properties['has_next_page'] !== undefined;
    if (isPage) return `a page of ${typeText(properties['data'].items)}`;
    const members = Object.entries(properties).map(
      ([name, of]) => `${name}${required?.includes(name) === true ? '' : '?'}: ${typeText(of)}`,
    );
    return `${title === undefined ? '' : `${title} `}{ ${members.join(', ')} }`;
  }
  if (items !== undefined) {
    return `array of ${typeText(items)}${maxItems === undefined ? '' : `, at most ${maxItems.toLocaleString('en')}`}`;
  }
  if (title !== undefined) return title;
  if (pattern !== undefined && PATTERNS[pattern] !== undefined) return PATTERNS[pattern];
  const kinds = typeof type === 'string' ? [type] : (type ?? ['any JSON']);
  return kinds.map((kind) => NAMES[kind] ?? kind).join(' or ');
}

function alternatives(oneOf) {
  const [text, number] = oneOf;
  if (oneOf.length === 2 && text.pattern === '^[0-9]+$' && number.type === 'integer') {
    return number.maximum === undefined ? 'integer' : `integer up to ${number.maximum.toLocaleString('en')}`;
  }
  return oneOf.map(typeText).join(' or ');
}

const TEXT_MAX = 70;
const ITEMS_MAX = 2;

/** What is shown of a value. */
function shortened(value) {
  if (typeof value === 'string') return value.length > TEXT_MAX ? `${value.slice(0, TEXT_MAX - 10)}…` : value;
  if (Array.isArray(value)) {
    const shown = value.slice(0, ITEMS_MAX).map(shortened);
    return value.length > ITEMS_MAX ? [...shown, '…'] : shown;
  }
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, shortened(member)]));
}

const WIDTH = 110;

/** JSON whose parts stand on one line where they fit. */
function json(value, indent = '') {
  const line = JSON.stringify(value, undefined, 1).replaceAll(/\n\s*/g, ' ');
  if (indent.length + line.length <= WIDTH || typeof value !== 'object' || value === null) return line;
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => json(item, inner))
    : Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${json(member, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`;
}

// ---- the answers ----

/** What has to be there before an example can be answered. */
const BEFORE = {
  dev_revert: ['dev_snapshot', []],
  dev_dropFork: ['dev_fork', []],
  dev_trace: ['dev_call'],
  chain_unsubscribeEvents: ['chain_subscribeEvents', ['all']],
  chain_unsubscribeTransactions: ['chain_subscribeTransactions', ['all']],
  movelet_getRange: ['movelet_getForkPoint', []],
};

/** The example of a signed transaction is for another moment, and no Bitcoin node is followed. */
const UNANSWERED = /^btc_broadcastTX$|_(?:execute|send)RawTransaction$/;

/** Every method answers. */
const ALL = { dev: true, serveNodes: true };

/** A connection over WebSocket. */
const CONNECTION = { notify: () => true, closed: new AbortController().signal, url: 'http://127.0.0.1:6767' };

async function ask(rpc, method, params) {
  const { result, error } = JSON.parse(
    await rpc.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), CONNECTION),
  );
  if (error !== undefined) throw new Error(`the example of ${method} fails: ${error.message}`);
  return result;
}

const exampleOf = ({ examples }) => examples[0].params.map(({ value }) => value);

/** The example of a method that names the root of the chain, with the root of this one. */
const atRoot = (example, root) => JSON.parse(JSON.stringify(example).replaceAll('11'.repeat(32), root.slice(2)));

/** What a method is asked, and its answer on a new chain, if it can be given. */
async function asked({ Engine, createRpc }, method, byName) {
  const example = exampleOf(method);
  if (UNANSWERED.test(method.name) || method.name.startsWith('rooch_')) return { method, params: example };
  const engine = await Engine.open();
  const rpc = createRpc(engine, ALL);
  const [before, params] = BEFORE[method.name] ?? [];
  if (before !== undefined) await ask(rpc, before, params ?? exampleOf(byName.get(before)));
  const asked = method.name.startsWith('movelet_') ? atRoot(example, engine.head.stateRoot) : example;
  const answer = await ask(rpc, method.name, asked);
  await rpc.close();
  await engine.close();
  return { method, params: asked, answer };
}

/** The page, and the methods that it is about; from `Engine` and `createRpc` of the package. */
export async function rpcPage(movelet) {
  const engine = await movelet.Engine.open();
  const { methods } = await ask(movelet.createRpc(engine, ALL), 'rpc.discover', []);
  await engine.close();
  const byName = new Map(methods.map((method) => [method.name, method]));
  const answered = [];
  for (const method of methods) answered.push(await asked(movelet, method, byName));
  return { methods, page: pageOf(answered) };
}

export async function writeRpcPage() {
  const [{ Engine }, { createRpc }] = await Promise.all([
    import('../dist/index.js'),
    import('../dist/server/index.js'),
  ]);
  const { page } = await rpcPage({ Engine, createRpc });
  writeFileSync(fileURLToPath(new URL('../docs/rpc.md', import.meta.url)), page);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await writeRpcPage();
