import { vi } from 'vitest';
import type { Command } from '../../src/cli/arguments.ts';

export interface Ran {
  readonly code: number;
  /** What it wrote to standard output. */
  readonly out: string;
  /** What it wrote to standard error. */
  readonly err: string;
}

/** Runs a command and gives what it wrote. */
export async function ran({ run }: Pick<Command, 'run'>, ...args: readonly string[]): Promise<Ran> {
  const written = { stdout: '', stderr: '' };
  const spies = (['stdout', 'stderr'] as const).map((name) =>
    vi.spyOn(process[name], 'write').mockImplementation((text) => {
      written[name] += String(text);
      return true;
    }),
  );
  try {
    return { code: await run(args), out: written.stdout, err: written.stderr };
  } finally {
    for (const spy of spies) spy.mockRestore();
  }
}
