/**
 * Sorts blocks given in any order: by their parents, along the branch with the most work.
 * @module
 */
import { formatBitcoinHash } from '../bitcoin/hash.ts';
import { type BlockHeader, workOfBits } from '../bitcoin/header.ts';

export interface LinkedBlock {
  readonly hash: string;
  readonly header: BlockHeader;
}

export interface BlockOrder<B extends LinkedBlock> {
  /** The branch with the most work, parents first; among equals, the one whose tip was given first. */
  readonly chain: readonly B[];
  /** Blocks of branches with less work. */
  readonly stale: readonly B[];
  /** Blocks whose ancestors are neither here nor known. */
  readonly orphans: readonly B[];
}

/**
 * Orders blocks. If no block builds on a known one and the chain is empty, the branch with the most work may start
 * anywhere.
 * @param isKnown whether the chain has a block of this hash.
 * @param isEmpty whether the chain has no block.
 */
export function orderBlocks<B extends LinkedBlock>(
  blocks: readonly B[],
  isKnown: (hash: string) => boolean,
  isEmpty: boolean,
): BlockOrder<B> {
  const byHash = new Map<string, B>();
  for (const block of blocks) if (!byHash.has(block.hash)) byHash.set(block.hash, block);
  const children = new Map<string, B[]>();
  const roots: B[] = [];
  for (const block of byHash.values()) {
    const parent = parentOf(block);
    if (byHash.has(parent)) children.set(parent, [...(children.get(parent) ?? []), block]);
    else roots.push(block);
  }
  const connected = roots.filter((root) => isEmpty || isKnown(parentOf(root)) || isKnown(root.hash));
  const work = workToEach(connected, children);
  let tip: B | undefined;
  for (const block of byHash.values()) {
    const total = work.get(block.hash);
    if (total !== undefined && (tip === undefined || total > work.get(tip.hash)!)) tip = block;
  }
  const chain: B[] = [];
  for (let block = tip; block !== undefined; block = byHash.get(parentOf(block))) chain.push(block);
  chain.reverse();
  const chosen = new Set(chain.map(({ hash }) => hash));
  const [start] = chain;
  // An empty chain can have only one start: blocks that build on another one have no known ancestors.
  const own = start === undefined || !isEmpty ? work : workToEach([start], children);
  const others = [...byHash.values()].filter(({ hash }) => !chosen.has(hash));
  return {
    chain,
    stale: others.filter(({ hash }) => own.has(hash)),
    orphans: others.filter(({ hash }) => !own.has(hash)),
  };
}

function parentOf({ header }: LinkedBlock): string {
  return formatBitcoinHash(header.previousHash);
}

/** The work from each root to each of its descendants, by hash. */
function workToEach<B extends LinkedBlock>(
  roots: readonly B[],
  children: ReadonlyMap<string, readonly B[]>,
): Map<string, bigint> {
  const work = new Map<string, bigint>();
  for (const root of roots) {
    const waiting: [B, bigint][] = [[root, 0n]];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [block, before] = next;
      const total = before + workOfBits(block.header.bits);
      work.set(block.hash, total);
      for (const child of children.get(block.hash) ?? []) waiting.push([child, total]);
    }
  }
  return work;
}
