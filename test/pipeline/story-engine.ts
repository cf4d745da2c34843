/**
 * How engines that are told the same story are compared.
 * @module
 */
import { decode } from '../../src/base/bcs.ts';
import { toHex } from '../../src/base/bytes/bytes.ts';
import { EngineError } from '../../src/base/error.ts';
import { account } from '../../src/execution/framework/account.ts';
import type { Engine, EngineOptions } from '../../src/index.ts';
import { accountObjectId } from '../../src/query/transaction-builder.ts';
import type { Narrator } from './story.ts';

/** The id of no chain that anybody runs. */
export const STORY_OPTIONS: EngineOptions = { chainId: 77n };

/** Tells the story to an engine. */
export function narrator(engine: Engine): Narrator {
  return {
    data: (sender, action, parts = {}) => {
      const object = engine.inside.state.object(accountObjectId(sender));
      const sequenceNumber = object === undefined ? 0n : decode(account, object.value).sequenceNumber;
      return { sender, sequenceNumber, chainId: engine.chainId, maxGasAmount: 100_000_000n, action, ...parts };
    },
  };
}

/** How a transaction ended: order, root, status, gas and events, or why it was refused; and where the chain is. */
export async function endingOf(engine: Engine, signed: Uint8Array): Promise<string> {
  const before = engine.head;
  try {
    const { order, hash, stateRoot, status, gasUsed, events, framework } = await engine.execute(signed);
    const all = [...events, ...framework.events].sort((left, right) => left.index - right.index);
    const seen = all.map(({ type, bytes }) => `${type} ${bytes}`);
    const text = JSON.stringify([order, status, gasUsed, seen], (_, value) =>
      typeof value === 'bigint' ? value.toString() : value instanceof Uint8Array ? toHex(value) : value,
    );
    return `${hash} ${stateRoot} ${engine.head.accumulator.root.slice(2)} ${text}`;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    return `${error.message} ${before.stateRoot.slice(2)}`;
  }
}
