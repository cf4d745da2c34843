/** Everything that is fuzzed, by name. */
import type { Area } from './area.ts';
import { blocks, modules, transactions } from './chain.ts';
import { follower } from './follower.ts';
import { frames } from './frames.ts';
import { requests, views } from './requests.ts';
import { sources } from './sources.ts';
import { directories, dumps } from './stored.ts';

export const AREAS: Readonly<Record<string, () => Promise<Area>>> = {
  requests,
  views,
  frames,
  blocks,
  modules,
  transactions,
  dumps,
  directories,
  follower,
  sources,
};
