/**
 * How engines that are told the same story are compared.
 * @module
 */
import { toHex } from '../../src/base/bytes/bytes.ts';
import { EngineError } from '../../src/base/error.ts';
import type { Engine, EngineOptions } from '../../src/index.ts';

/** The id of no chain that anybody runs. */
export const STORY_OPTIONS: EngineOptions = { chainId: 77n };

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
