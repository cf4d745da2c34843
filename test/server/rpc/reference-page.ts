/** docs/rpc.md, made from the document of `rpc.discover` and from what its examples answer. */

/** A JSON schema, limited to what the rows use. */
interface Schema {
  readonly type?: string | readonly string[];
  readonly title?: string;
  readonly description?: string;
  readonly pattern?: string;
  readonly enum?: readonly unknown[];
  readonly oneOf?: readonly Schema[];
  readonly items?: Schema;
  readonly maxItems?: number;
  readonly maximum?: number;
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
}

/** A method of the document. */
export interface DocumentedMethod {
  readonly name: string;
  readonly description: string;
  readonly params: readonly {
    readonly name: string;
    readonly description: string;
    readonly required?: boolean;
    readonly schema: Schema;
  }[];
  readonly result: { readonly schema: Schema };
  readonly examples: readonly { readonly params: readonly { readonly value: unknown }[] }[];
  readonly 'x-error-codes': readonly string[];
}

/** A method with what its example answers; undefined where that depends on more than a new chain. */
export interface AnsweredMethod {
  readonly method: DocumentedMethod;
  readonly answer: unknown;
}

const HEAD = `# JSON-RPC methods

\`npm run rpc-page\` makes this page from the rows of \`src/server/rpc\`. \`rpc.discover\` returns the same as an OpenRPC document, which
is enough to generate a client; \`movelet call METHOD PARAMS\` asks from the command line.

Parameters are given by position, or by name in an object. Optional ones may be left out or null. In this page:

| type | JSON |
| --- | --- |
| integer | a number, or decimal text, for any u64 |
| address | text: \`0x\` and up to 64 hex digits, \`rooch1...\`, or a Bitcoin address of any network |
| object id | text: \`0x\` and hex digits, or the type of a named object |
| type tag | text such as \`0x3::coin_store::CoinStore<0x3::gas_coin::RGas>\` |
| hash, bytes | text in hexadecimal, with or without \`0x\`; a hash has 64 digits |
| cursor | \`next_cursor\` of the page before |
| value by its Move type | numbers, text, arrays and objects as the type asks for; bytes in hexadecimal |

A page is \`{ data, next_cursor, has_next_page }\`. A method with a \`chain_\` and a \`rooch_\` name answers in the forms of the
interface under the first, and in those of the current reference network under the second; the examples show the first. \`btc_\` and \`dev_\`
methods answer in the forms of the connection (\`--forms\`, or the base path \`/rooch\`).

**Errors.** A wrong parameter is error -32602 with \`data.code\` \`invalid-argument\` and its path in \`data.path\`. If a method
refuses for another reason, that is mostly error 2 with a word that its section lists. Any method may answer
\`limit-exceeded\` (the node is busy, or the answer too large), \`state-not-loaded\` (on a chain that holds only part of its
state), \`closed\` or \`corrupt\`.
[Errors](errors.md) explains the words and the numbers, [limits](limits.md) what one request may take.

**Subscriptions** push notifications over WebSocket, stdio and MessagePorts. \`method\` is the one that subscribed:
\`{"jsonrpc":"2.0","method":"chain_subscribeEvents","params":{"subscription":1,"result":{...}}}\`. Instead of \`result\` there may be
\`"reverted":{"next_order":"7"}\`: the chain of a test node went to a snapshot, and orders are sent again from there; or
\`error\`, whose \`message\` says why the subscription has ended, for instance because its client is too slow, and whose
\`data.from_order\` is where a new one continues. \`GET /subscribe/sse/events?filter=JSON\` and \`/subscribe/sse/transactions?filter=JSON\` are streams of the same for
clients that only read. The filter is encoded for a URL, \`&from_order=7\` and \`&forms=interface\` are optional. The
server-sent events are \`message\`, \`reverted\` and \`error\`; the last one of an order has the order as its \`id\`, so a browser
that reconnects continues after it. A stream without \`from_order\` begins with an \`id\` alone, so that this also holds before
the first event. If its \`id\` is beyond the head of a chain that was started anew or went back meanwhile, the stream begins
with \`reverted\`; one of a node that shares a commit log, and may be behind, waits. A \`from_order\` beyond the head is always
waited for: after a reconnection, compare it with \`last_order\` of \`chain_status\`.

The example answers come from a new local chain. Long text and long arrays are cut at \`…\`.
`;

const FAMILIES: readonly (readonly [title: string, prefix: string])[] = [
  ['Chain', 'chain_'],
  ['Bitcoin', 'btc_'],
  ['Test node', 'dev_'],
];

/** @param methods those of both namespaces, and the controls of a test node, in the order of the page */
export function referencePage(methods: readonly AnsweredMethod[]): string {
  const names = new Set(methods.map(({ method }) => method.name));
  const sections = FAMILIES.map(([title, prefix]) => {
    const own = methods.filter(({ method }) => method.name.startsWith(prefix));
    const links = own.map(({ method: { name } }) => `[${name.slice(prefix.length)}](#${name.toLowerCase()})`);
    return [`## ${title}\n`, `${links.join(', ')}\n`, ...own.map((one) => section(one, names))].join('\n');
  });
  return [HEAD, ...sections].join('\n');
}

function section({ method, answer }: AnsweredMethod, names: ReadonlySet<string>): string {
  const { name, description, params, result, examples } = method;
  const other = name.replace(/^chain_/, 'rooch_');
  const also = other !== name && names.has(other) ? [`Also \`${other}\`.`] : [];
  const table = params.map(({ name: param, description: what, required, schema }) =>
    row(`\`${param}\``, `${typeText(schema)}${required === true ? '' : ', optional'}`, what),
  );
  const codes = method['x-error-codes'].map((code) => `\`${code}\``);
  const given = JSON.stringify(examples[0]!.params.map(({ value }) => shortened(value)));
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

const row = (...cells: readonly string[]): string =>
  `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`;

const PATTERNS: Readonly<Record<string, string>> = {
  '^[0-9]+$': 'decimal text',
  '^(0x)?[0-9a-fA-F]{64}$': 'hash',
  '^[0-9a-fA-F]{64}$': '64 hex digits',
  '^(0x)?([0-9a-fA-F]{2})*$': 'bytes',
};
const NAMES: Readonly<Record<string, string>> = { string: 'text', integer: 'number', null: 'null' };

function typeText(schema: Schema): string {
  const text = bareType(schema);
  return schema.description === undefined ? text : `${text} (${schema.description})`;
}

function bareType({
  type,
  title,
  pattern,
  enum: values,
  oneOf,
  items,
  maxItems,
  properties,
  required,
}: Schema): string {
  if (oneOf !== undefined) return alternatives(oneOf);
  if (values !== undefined) return values.map((value) => `\`${JSON.stringify(value)}\``).join(' or ');
  if (properties !== undefined) {
    const isPage = properties['has_next_page'] !== undefined;
    if (isPage) return `a page of ${typeText(properties['data']!.items!)}`;
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

function alternatives(oneOf: readonly Schema[]): string {
  const [text, number] = oneOf;
  if (oneOf.length === 2 && text!.pattern === '^[0-9]+$' && number!.type === 'integer') {
    return number!.maximum === undefined ? 'integer' : `integer up to ${number!.maximum.toLocaleString('en')}`;
  }
  return oneOf.map(typeText).join(' or ');
}

const TEXT_MAX = 70;
const ITEMS_MAX = 2;

/** What is shown of a value. */
function shortened(value: unknown): unknown {
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
function json(value: unknown, indent = ''): string {
  const line = JSON.stringify(value, undefined, 1).replaceAll(/\n\s*/g, ' ');
  if (indent.length + line.length <= WIDTH || typeof value !== 'object' || value === null) return line;
  const inner = `${indent}  `;
  const parts = Array.isArray(value)
    ? value.map((item) => json(item, inner))
    : Object.entries(value).map(([name, member]) => `${JSON.stringify(name)}: ${json(member, inner)}`);
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  return `${open}\n${parts.map((part) => inner + part).join(',\n')}\n${indent}${close}`;
}
