import type { RpcHandler } from '../../src/server/index.ts';

const id = (digit: string): string => `0x${digit.repeat(64)}`;
const type = (name: string): object => ({ type: 'string', title: name });

const METHODS = [
  {
    name: 'chain_getBalance',
    summary: 'The balance of one coin.',
    description: 'Gives the balance that an account holds of one coin type.\nSupply and balance are decimal strings.',
    params: [
      {
        name: 'account',
        required: true,
        description: 'Whose balance.',
        schema: { $ref: '#/components/schemas/Address' },
      },
      { name: 'coin_type', required: true, schema: type('StructTag') },
    ],
    result: { name: 'balance', schema: true },
    examples: [
      {
        name: 'gas of 0x3',
        params: [
          { name: 'account', value: '0x3' },
          { name: 'coin_type', value: '0x3::gas_coin::RGas' },
        ],
      },
      {
        name: 'an unknown coin',
        params: [
          { name: 'account', value: '0x3' },
          { name: 'coin_type', value: '0x3::no::Coin' },
        ],
      },
    ],
  },
  {
    name: 'chain_getStates',
    params: [
      { name: 'access_path', required: true, schema: { type: 'string' } },
      { name: 'state_option', schema: { type: 'object', properties: { decode: { type: 'boolean' } } } },
    ],
    result: { name: 'states', schema: true },
  },
  {
    name: 'chain_listStates',
    params: [
      { name: 'access_path', required: true, schema: { type: 'string' } },
      { name: 'cursor', schema: { type: ['string', 'null'] } },
      { name: 'limit', schema: { oneOf: [{ type: 'integer' }, { type: 'string' }, { type: 'null' }] } },
      { name: 'state_option', schema: { type: 'object' } },
    ],
    result: { name: 'page', schema: true },
    examples: [
      {
        name: 'first',
        params: [
          { name: 'access_path', value: '/object' },
          { name: 'cursor', value: null },
          { name: 'limit', value: 2 },
        ],
      },
    ],
  },
  {
    name: 'chain_queryEvents',
    params: [
      { name: 'filter', required: true, schema: { type: 'object' } },
      { name: 'descending', schema: { type: 'boolean' } },
    ],
    result: { name: 'page', schema: true },
    examples: [
      {
        name: 'by sender',
        params: [
          { name: 'filter', value: { sender: '0x3' } },
          { name: 'descending', value: true },
        ],
      },
    ],
  },
  {
    name: 'chain_status',
    description: 'What the node is doing.',
    params: [],
    result: { name: 'status', schema: true },
  },
  { name: 'btc_queryUTXOs', params: [], result: { name: 'page', schema: true } },
  { name: 'rooch_status', params: [], result: { name: 'status', schema: true } },
  { name: 'rpc.discover', params: [], result: { name: 'document', schema: true } },
];

const DOCUMENT = {
  openrpc: '1.2.6',
  info: { title: 'fake node', version: '0.0.1' },
  methods: METHODS,
  components: {
    schemas: { Address: { title: 'Address', type: 'string', description: '0x and up to 64 hex digits.' } },
  },
};

/** Text that would do harm visibly if it were ever taken for HTML. */
export const HOSTILE = '<img src=x onerror="document.title=\'hacked\'"><script>document.title="hacked"</script>';

function objectState(digit: string): object {
  return {
    id: id(digit),
    owner: id('9'),
    flag: 0,
    state_root: id('e'),
    size: '3',
    object_type: `0x3::thing::Thing${digit}`,
    value: '0x0102',
    decoded_value: {
      abilities: 8,
      type: `0x3::thing::Thing${digit}`,
      value: { name: HOSTILE, table: { handle: id('b') } },
    },
    display_fields: null,
  };
}

/** Five objects, in pages of two whatever the limit. */
function listStates(path: string, cursor: string | null): object {
  const digits = ['1', '2', '3', '4', '5'].slice(path.startsWith('/object') ? 0 : 3);
  const from = cursor === null ? 0 : digits.indexOf(cursor.charAt(2)) + 1;
  const shown = digits.slice(from, from + 2);
  return {
    data: shown.map((digit) => ({ field_key: id(digit), state: objectState(digit) })),
    next_cursor: id(shown.at(-1) ?? '0'),
    has_next_page: from + 2 < digits.length,
  };
}

/** A node with just enough behind it for the page. Answers are raw text, in which digits matter. */
export class FakeNode implements RpcHandler {
  readonly requests: { readonly method: string; readonly params: string }[] = [];
  /** Whether rpc.discover is there. */
  isDescribed = true;
  /** What rpc.discover says. */
  document: unknown = DOCUMENT;
  #silence: Promise<void> | undefined;
  #end: (() => void) | undefined;

  /** From now on takes requests without an answer. */
  fallSilent(): void {
    this.#silence = new Promise((resolve) => {
      this.#end = resolve;
    });
  }

  /** Answers what was asked since it fell silent, and whatever comes next. */
  speak(): void {
    this.#end?.();
  }

  async handle(text: string): Promise<string> {
    const { id: requestId, method, params } = JSON.parse(text);
    this.requests.push({ method, params: text.slice(text.indexOf('"params":') + 9, -1) });
    await this.#silence;
    const answer = this.#answer(method, params ?? []);
    return `{"jsonrpc":"2.0","id":${requestId},${answer}}`;
  }

  #answer(method: string, params: (string | null)[]): string {
    const result = (value: unknown): string => `"result":${JSON.stringify(value)}`;
    switch (method) {
      case 'rpc.discover':
        return this.isDescribed ? result(this.document) : '"error":{"code":-32601,"message":"Method not found"}';
      case 'chain_status':
        return `"result":{"service_status":"active","order":18446744073709551615,"small":1.50,"hostile":${JSON.stringify(HOSTILE)}}`;
      case 'chain_getBalance':
        if (params[1] === '0x3::no::Coin') {
          const data = {
            code: 'not-found',
            path: 'params[1] coin_type',
            expected: 'a coin',
            received: HOSTILE,
            hint: 'try RGas',
          };
          return `"error":${JSON.stringify({ code: -32602, message: 'Invalid params', data })}`;
        }
        return result({ coin_type: params[1], decimals: 8, balance: '100000000000', account: id('9') });
      case 'chain_getStates':
        return result([params[0]?.endsWith(id('7')) ? null : objectState(params[0]?.match(/0x(\d)/)?.[1] ?? '1')]);
      case 'chain_listStates':
        return result(listStates(params[0] ?? '', params[1] ?? null));
      case 'chain_queryEvents':
        return result({
          data: Array.from({ length: 1_000 }, (_, seq) => ({ seq, data: `0x${'ab'.repeat(600)}` })),
          next_cursor: null,
          has_next_page: false,
        });
      default:
        return '"error":{"code":-32601,"message":"Method not found"}';
    }
  }
}
