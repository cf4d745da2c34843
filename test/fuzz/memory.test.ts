import { expect, it } from 'vitest';
import { GROWTH_BYTES_MAX, heldMemory, isBack, memoryText } from './memory.ts';

it('tells a process that holds on to more from one that has let go of it', async () => {
  const start = await heldMemory();
  const kept = [new Uint8Array(GROWTH_BYTES_MAX + 32e6)];
  expect(isBack(start, await heldMemory()), memoryText(start)).toBe(false);
  expect(kept.pop()).toBeDefined();
  expect(isBack(start, await heldMemory()), memoryText(start)).toBe(true);
});
