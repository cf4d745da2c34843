/** The one configuration of fast-check; Vitest runs it before each file of tests. A property says no more than its runs. */
import fc from 'fast-check';
import { runs, seed } from './effort.ts';

fc.configureGlobal({ seed, numRuns: runs(100) });
