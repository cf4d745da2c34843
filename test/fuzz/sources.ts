/** Sources of Move, which the compiler takes or refuses; what it takes, our verifier takes. */
import { compileMove } from '../../src/compile/move-compiler.ts';
import { addressOf } from '../../src/move/address.ts';
import { generatedModule } from '../compile/generated/generated-module.ts';
import { randomNumbers } from '../random.ts';
import { type Area, textBytes } from './area.ts';
import { mutateSource } from './mutate-source.ts';

const SEEDS = 6;

export async function sources(): Promise<Area> {
  const addresses = new Map([['a', addressOf(0xa)]]);
  const mode = { hasTests: true, hasVerification: false };
  return {
    seeds: Array.from({ length: SEEDS }, (_, at) => textBytes(generatedModule('m', randomNumbers(at)))),
    msMax: 3_000,
    mutate: mutateSource,
    run: async (input) => {
      const files = new Map([['m.move', new TextDecoder().decode(input)]]);
      const { diagnostics } = compileMove({ targets: [{ files, addresses }], dependencies: [], mode });
      const defect = diagnostics.sorted().find(({ kind }) => kind.severity === 'defect');
      if (defect !== undefined) throw new Error(`the compiler finds a defect of its own: ${defect.primary.message}`);
    },
    close: async () => {},
  };
}
