#!/usr/bin/env node
/**
 * The command line: `movelet COMMAND`.
 *
 * Node keeps the compiled code of what is imported after this, if it can (from 22.1 on), so that the next command starts
 * sooner. NODE_DISABLE_COMPILE_CACHE=1 turns that off.
 * @module
 */
import module from 'node:module';

(module as { enableCompileCache?: () => unknown }).enableCompileCache?.();
const { run } = await import('./main.ts');
await run(process.argv.slice(2));
