import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The command line as the build makes it. */
export const cli: string = fileURLToPath(new URL('../../dist/cli.js', import.meta.url));
export const isBuilt: boolean = existsSync(cli);
/** What a suite's name adds when it is skipped. */
export const note: string = isBuilt ? '' : ' (skipped: dist is not built; npm test builds it)';
