/** The one configuration of fast-check. Vitest runs it before each test file. Properties set only their runs. */
import fc from 'fast-check';
import { runs, seed } from './effort.ts';

fc.configureGlobal({ seed, numRuns: runs(40, 100) });
