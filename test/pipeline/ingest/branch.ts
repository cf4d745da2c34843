/** Random chains of blocks that can branch: what ingestion tests feed when no recorded block will do. */
import {
  type BitcoinTransaction,
  type MinedBlock,
  type OutPoint,
  RegtestChain,
  reveal,
  spend,
} from '../../../src/bitcoin/index.ts';
import { DEV_ACCOUNTS } from '../../../src/execution/framework/accounts.ts';

const people = DEV_ACCOUNTS.map(({ regtestAddress }) => regtestAddress);
const OP_RETURN = Uint8Array.of(0x6a);

interface Coin {
  readonly outpoint: OutPoint;
  readonly value: bigint;
}

/** A chain that knows its unspent outputs, and spends and inscribes at random. */
export class Branch {
  readonly chain: RegtestChain;
  #coins: Coin[][];
  readonly #next: (below: number) => number;

  constructor(next: (below: number) => number, chain: RegtestChain = new RegtestChain(), coins: Coin[][] = []) {
    this.#next = next;
    this.chain = chain;
    this.#coins = coins;
  }

  mine(): MinedBlock {
    const coins = [...(this.#coins.at(-1) ?? [])];
    const transactions: BitcoinTransaction[] = [];
    for (let count = this.#next(4); count > 0 && coins.length > 0; count--) {
      const transaction = this.#transaction(coins);
      transactions.push(transaction);
      coins.push(...coinsOf(transaction));
    }
    const block = this.chain.mine({ to: this.#person(), transactions });
    coins.push(...coinsOf(block.transactions[0]!));
    this.#coins.push(coins);
    return block;
  }

  /** Another branch without the last `count` blocks. */
  without(count: number): Branch {
    return new Branch(this.#next, this.chain.branch(this.chain.height - count), this.#coins.slice(0, -count));
  }

  #person(): string {
    return people[this.#next(people.length)]!;
  }

  /** Spends one or two coins, with a fee, to some people, with or without inscriptions; now and then it burns. */
  #transaction(coins: Coin[]): BitcoinTransaction {
    const spent = Array.from({ length: Math.min(1 + this.#next(2), coins.length) }, () => {
      return coins.splice(this.#next(coins.length), 1)[0]!;
    });
    const total = spent.reduce((sum, { value }) => sum + value, 0n);
    const share = total / BigInt(2 + this.#next(2));
    const outputs = [
      { to: this.#person(), value: share },
      this.#next(5) === 0 ? { scriptPubkey: OP_RETURN, value: share } : { to: this.#person(), value: share },
    ];
    if (this.#next(2) === 0) return spend(spent.map(inputOf), outputs);
    const contents = Array.from({ length: 1 + this.#next(2) }, (_, index) => ({
      contentType: 'text/plain',
      body: `${this.chain.height} ${index}`,
      ...(this.#next(3) === 0 && { pointer: BigInt(this.#next(Number(total % 1_000_000n) + 1)) }),
      ...(this.#next(3) === 0 && { metaprotocol: 'test' }),
    }));
    const [first, ...others] = spent as [Coin, ...Coin[]];
    const { inputs } = reveal(first.outpoint, contents, outputs);
    return spend([{ outpoint: first.outpoint, witness: inputs[0]!.witness }, ...others.map(inputOf)], outputs);
  }
}

const inputOf = ({ outpoint }: Coin) => ({ outpoint });

function coinsOf({ txid, outputs }: BitcoinTransaction): Coin[] {
  return outputs.flatMap(({ value, scriptPubkey }, vout) =>
    scriptPubkey[0] === 0x6a ? [] : [{ outpoint: { txid, vout }, value }],
  );
}
