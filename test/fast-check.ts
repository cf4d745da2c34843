/** The one configuration of fast-check; Vitest runs it before each test file. A property sets only its number of runs. */
import fc from 'fast-check';
import { runs, seed } from './effort.ts';

fc.configureGlobal({ seed, numRuns: runs(100) });
