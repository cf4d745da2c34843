import { describe, expect, it } from 'vitest';
import { reportAtCaller, reportedAtCaller } from '../../src/base/caller.ts';
import { EngineError } from '../../src/base/error.ts';

/** What a caller sees first of a stack: the function of the first frame. */
function firstFrame(error: unknown): string | undefined {
  return /^\s+at (?:async )?(\S+)/m.exec((error as Error).stack ?? '')?.[1];
}

function deep(code: 'invalid-argument' | 'invariant-violation' = 'invalid-argument'): never {
  throw new EngineError(code, 'refused');
}

class Verbs {
  static open(): void {
    deep();
  }

  get height(): number {
    return deep();
  }

  read(): void {
    deep();
  }

  broken(): void {
    deep('invariant-violation');
  }

  async write(): Promise<void> {
    await undefined;
    deep();
  }

  /** Rejected by somebody else's stack, as a queue does. */
  queued(): Promise<void> {
    return new Promise((_resolve, reject) => {
      setTimeout(() => reject(new EngineError('transaction-rejected', 'refused')), 1);
    });
  }

  nested(): void {
    this.read();
  }
}

reportAtCaller(Verbs);
const verbs = new Verbs();

/** The error of what a caller does. */
async function failureOf(caller: () => unknown): Promise<unknown> {
  try {
    await caller();
  } catch (error) {
    return error;
  }
  throw new Error('expected a failure');
}

describe('the stack of an error begins in the caller', () => {
  it.each<[string, () => unknown]>([
    ['a method', () => verbs.read()],
    ['a method that calls another', () => verbs.nested()],
    ['a static method', () => Verbs.open()],
    ['a getter', () => verbs.height],
    ['a function', () => reportedAtCaller(deep)()],
  ])('%s', async (_name, call) => {
    const caller = (): unknown => call();
    expect(((await failureOf(caller)) as Error).stack).toMatch(/^EngineError: refused\n\s+at .*caller\.test\.ts/);
  });

  it('an async method, after it waited', async () => {
    const caller = async (): Promise<void> => {
      await verbs.write();
    };
    expect(firstFrame(await failureOf(caller))).toBe('caller');
  });

  it('a promise that others reject', async () => {
    const caller = async (): Promise<void> => {
      await verbs.queued();
    };
    expect(firstFrame(await failureOf(caller))).toBe('caller');
  });

  it('a promise that nobody awaits', async () => {
    const caller = (): Promise<unknown> => new Promise((resolve) => void verbs.write().then(undefined, resolve));
    expect(((await caller()) as Error).stack).toMatch(/^EngineError: refused\n\s+at .*caller\.test\.ts/);
  });

  it('keeps the stack of a broken invariant', async () => {
    expect(firstFrame(await failureOf(() => verbs.broken()))).toBe('deep');
  });
});
