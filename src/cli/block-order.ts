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

/** The blocks of the chain that others are to follow: one branch. */
export interface OwnBlocks {
  readonly isEmpty: boolean;
  /** Of the newest block; -1 if there is none. */
  readonly height: number;
  /** Undefined if the chain does not have the block of this hash. */
  readonly heightOf: (hash: string) => number | undefined;
  /** The target of the block at a height that the chain has. */
  readonly bitsAt: (height: number) => number;
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
 * Orders blocks. On an empty chain, the branch with the most work may start anywhere; otherwise it builds on the chain's
 * blocks, whose work counts, too. The chain is not to leave its blocks for a branch with less work.
 */
export function orderBlocks<B extends LinkedBlock>(blocks: readonly B[], ownBlocks: OwnBlocks): BlockOrder<B> {
  const { isEmpty } = ownBlocks;
  const byHash = new Map<string, B>();
  for (const block of blocks) if (!byHash.has(block.hash)) byHash.set(block.hash, block);
  const children = new Map<string, B[]>();
  const roots: B[] = [];
  for (const block of byHash.values()) {
    const parent = parentOf(block);
    if (byHash.has(parent)) children.set(parent, [...(children.get(parent) ?? []), block]);
    else roots.push(block);
  }
  const connected = isEmpty ? roots : roots.filter((root) => forkHeight(root, ownBlocks) !== undefined);
  const work = workToEach(connected, children, isEmpty ? undefined : workBelow(connected, ownBlocks));
  let chain = branchTo(mostWork(byHash.values(), work), byHash);
  if (!isEmpty && hasLessWork(chain, ownBlocks)) {
    const own = [...byHash.values()].filter(({ hash }) => ownBlocks.heightOf(hash) !== undefined);
    chain = branchTo(mostWork(own, work), byHash);
  }
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

/** The first of the blocks that have the most work. */
function mostWork<B extends LinkedBlock>(blocks: Iterable<B>, work: ReadonlyMap<string, bigint>): B | undefined {
  let tip: B | undefined;
  for (const block of blocks) {
    const total = work.get(block.hash);
    if (total !== undefined && (tip === undefined || total > work.get(tip.hash)!)) tip = block;
  }
  return tip;
}

function branchTo<B extends LinkedBlock>(tip: B | undefined, byHash: ReadonlyMap<string, B>): readonly B[] {
  const chain: B[] = [];
  for (let block = tip; block !== undefined; block = byHash.get(parentOf(block))) chain.push(block);
  return chain.reverse();
}

/** Whether a branch that leaves the chain's blocks has less work from there on than they have. */
function hasLessWork(branch: readonly LinkedBlock[], { heightOf, height, bitsAt }: OwnBlocks): boolean {
  const next = branch.findIndex(({ hash }) => heightOf(hash) === undefined);
  const first = branch[next];
  if (first === undefined) return false;
  let lead = branch.slice(next).reduce((work, { header }) => work + workOfBits(header.bits), 0n);
  let at = heightOf(parentOf(first)) ?? height;
  while (lead >= 0n && at < height) lead -= workOfBits(bitsAt(++at));
  return lead < 0n;
}

function parentOf({ header }: LinkedBlock): string {
  return formatBitcoinHash(header.previousHash);
}

/** The height of the chain's block that a root builds on; one less than the first height for the chain's first block. */
function forkHeight(root: LinkedBlock, { heightOf }: OwnBlocks): number | undefined {
  const own = heightOf(root.hash);
  return heightOf(parentOf(root)) ?? (own === undefined ? undefined : own - 1);
}

/** The work of the chain's blocks below each root, by hash, counted from the lowest fork. */
function workBelow(roots: readonly LinkedBlock[], ownBlocks: OwnBlocks): Map<string, bigint> {
  const forks = roots.map((root) => ({ root, height: forkHeight(root, ownBlocks) ?? 0 }));
  forks.sort((left, right) => left.height - right.height);
  const below = new Map<string, bigint>();
  let work = 0n;
  let at = forks[0]?.height ?? 0;
  for (const { root, height } of forks) {
    while (at < height) work += workOfBits(ownBlocks.bitsAt(++at));
    below.set(root.hash, work);
  }
  return below;
}

/** The work up to each root and from there to each of its descendants, by hash. */
function workToEach<B extends LinkedBlock>(
  roots: readonly B[],
  children: ReadonlyMap<string, readonly B[]>,
  below?: ReadonlyMap<string, bigint>,
): Map<string, bigint> {
  const work = new Map<string, bigint>();
  for (const root of roots) {
    const waiting: [B, bigint][] = [[root, below?.get(root.hash) ?? 0n]];
    for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
      const [block, before] = next;
      const total = before + workOfBits(block.header.bits);
      work.set(block.hash, total);
      for (const child of children.get(block.hash) ?? []) waiting.push([child, total]);
    }
  }
  return work;
}
