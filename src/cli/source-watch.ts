/**
 * `--watch`: repeats work whenever a source of a package changes.
 * @module
 */
import { existsSync, type FSWatcher, watch } from 'node:fs';
import { join } from 'node:path';
import { EngineError, messageOf } from '../base/error.ts';
import { watchedPackages } from '../compile/package.ts';
import { TESTS_FILE } from '../compile/unit-test/package-file.ts';
import { forTerminal } from './terminal.ts';

/** An editor writes a file in several steps. */
const QUIET_MS = 50;
const SOURCE_FOLDERS = ['sources', 'tests'];
/** In the folder of a package. What `movelet build` writes beside it must not start the next build. */
const PACKAGE_FILE = /^(?:Move\.toml|sources|tests)$/;
/** In a folder that `movelet build --test` wrote. */
const COMPILED_FILE = new RegExp(`\\.mv$|^${TESTS_FILE.replace('.', '\\.')}$`);

/**
 * Does the work now, and again after each change of the packages in these folders or of local packages that they depend
 * on. Errors of the work are printed; it is interrupted by a signal.
 */
export async function workOnChanges(directories: readonly string[], work: () => Promise<unknown>): Promise<never> {
  for (;;) {
    const changed = nextChange(
      (await Promise.all(directories.map((each) => watchedPackages(each, true))))
        .flat()
        .map(({ directory }) => directory),
    );
    try {
      await work();
    } catch (error) {
      if (!(error instanceof EngineError)) throw error;
      process.stderr.write(`${forTerminal(messageOf(error))}\n`);
    }
    process.stdout.write('waiting for a change of the sources; Ctrl-C ends\n');
    await changed;
  }
}

/** Resolves once a source has changed and no other change has followed for a moment. */
function nextChange(directories: readonly string[]): Promise<void> {
  return new Promise((done, fail) => {
    const watchers: FSWatcher[] = [];
    let quiet: NodeJS.Timeout | undefined;
    const onChange = (): void => {
      clearTimeout(quiet);
      quiet = setTimeout(() => {
        for (const watcher of watchers) watcher.close();
        done();
      }, QUIET_MS);
    };
    const follow = (directory: string, pattern: RegExp, recursive: boolean): void => {
      const watcher = watch(directory, { recursive }, (_event, name) => {
        if (name !== null && pattern.test(name)) onChange();
      });
      watchers.push(watcher.on('error', fail));
    };
    for (const directory of directories) {
      follow(directory, existsSync(join(directory, TESTS_FILE)) ? COMPILED_FILE : PACKAGE_FILE, false);
      for (const folder of SOURCE_FOLDERS.map((name) => join(directory, name)).filter((path) => existsSync(path))) {
        follow(folder, /\.move$/, true);
      }
    }
  });
}
