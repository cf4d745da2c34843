/** A user's project: a folder with the package installed in it, in which a row of the matrix builds and runs. */
import { execFile, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import {
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { transformSync } from 'esbuild';

const execute = promisify(execFile);
const PROGRAM = fileURLToPath(new URL('program.mjs', import.meta.url));

/** How long a command may take: what does not end by itself is killed then, and its row fails. */
const COMMAND_MS_MAX = 600_000;

/** Where tools and the package are found. */
export interface Workshop {
  /** A folder whose `node_modules` has the tools. */
  readonly tools: string;
  /** A folder whose `node_modules` has the package as its users get it, and what it depends on. */
  readonly installed: string;
  /** What `npm pack` wrote. */
  readonly tarball: string;
  readonly registry: string;
}

export class Place {
  readonly #workshop: Workshop;
  folder: string;

  constructor(folder: string, workshop: Workshop) {
    this.folder = folder;
    this.#workshop = workshop;
    mkdirSync(folder, { recursive: true });
    this.write('package.json', '{ "name": "project", "private": true, "type": "module" }');
    this.write('program.mjs', readFileSync(PROGRAM, 'utf8'));
    this.write('main.mjs', "import { run } from './program.mjs';\nrun();\n");
  }

  get tarball(): string {
    return this.#workshop.tarball;
  }

  get registry(): string {
    return this.#workshop.registry;
  }

  /** Goes on in a folder with an awkward name, reached through a symbolic link. */
  moveBehindLink(): void {
    const real = join(this.folder, 'a größe 名 folder');
    mkdirSync(real);
    const link = join(this.folder, 'a link');
    symlinkSync(real, link);
    for (const file of ['package.json', 'program.mjs', 'main.mjs'])
      renameSync(join(this.folder, file), join(real, file));
    this.folder = link;
  }

  /** A checkout of the project as it is: what git has, and the packages of this one. */
  checkOut(): void {
    const root = fileURLToPath(new URL('../..', import.meta.url));
    const files = execFileSync('git', ['ls-files', '-z'], { cwd: root, encoding: 'utf8' });
    for (const file of files.split('\0').filter((path) => path !== '')) {
      mkdirSync(dirname(join(this.folder, file)), { recursive: true });
      cpSync(join(root, file), join(this.folder, file));
    }
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'));
  }

  /** Copies the examples of the package, and gives their names; on request without those that have `using`. */
  examples(hasUsing: boolean): string[] {
    const from = join(this.folder, 'node_modules', 'movelet', 'examples');
    const files = readdirSync(from)
      .filter((file) => file.endsWith('.ts'))
      .filter((file) => hasUsing || !/^(?:await )?using /m.test(readFileSync(join(from, file), 'utf8')));
    for (const file of files) cpSync(join(from, file), join(this.folder, file));
    return files;
  }

  /** The package and what it depends on, as files of this folder. */
  install(names?: readonly string[]): void {
    const from = join(this.#workshop.installed, 'node_modules');
    for (const name of names ?? ['']) {
      cpSync(join(from, name), join(this.folder, 'node_modules', name), { recursive: true, verbatimSymlinks: true });
    }
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  /** The program as a module of CommonJS. */
  writeCommonJs(): void {
    const { code } = transformSync(readFileSync(PROGRAM, 'utf8'), { format: 'cjs', platform: 'node' });
    this.write('program.cjs', code);
    this.write('main.cjs', "require('./program.cjs').run();\n");
  }

  /** A file of an installed tool. */
  tool(path: string): string {
    return join(this.#workshop.tools, 'node_modules', path);
  }

  /** Lets the project import a tool, as if it had installed it. */
  link(...names: readonly string[]): void {
    for (const name of names) {
      const link = join(this.folder, 'node_modules', name);
      mkdirSync(dirname(link), { recursive: true });
      if (!existsSync(link)) symlinkSync(this.tool(name), link);
    }
  }

  /** Runs Node with these arguments. */
  node(...args: readonly string[]): Promise<string> {
    return this.command(process.execPath, ...args);
  }

  async command(file: string, ...args: readonly string[]): Promise<string> {
    const env = { ...process.env, NO_COLOR: '1', NODE_NO_WARNINGS: '1', ...this.environment };
    const { stdout } = await execute(file, args, {
      cwd: this.folder,
      env,
      timeout: COMMAND_MS_MAX,
      killSignal: 'SIGKILL',
    });
    return stdout;
  }

  /** Starts a node, asks it for its chain, and ends it as a shell does. The answer is the result of the row. */
  async serve(file: string, ...args: readonly string[]): Promise<void> {
    const env = { ...process.env, ...this.environment };
    // A group of its own: npm starts the node in a shell, and would leave it behind.
    const node = spawn(file, args, { cwd: this.folder, env, detached: true, stdio: ['ignore', 'pipe', 'inherit'] });
    const ended = once(node, 'exit');
    try {
      let printed = '';
      for await (const piece of node.stdout) {
        printed += piece;
        if (/http:\/\/\S+\n/.test(printed)) break;
      }
      const url = /http:\/\/[\w.:]+/.exec(printed)?.[0];
      if (url === undefined) throw new Error(`the node did not say where it listens: ${printed}`);
      const body = '{"jsonrpc":"2.0","id":1,"method":"chain_getChainID","params":[]}';
      const response = await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body });
      const { result } = (await response.json()) as { result?: unknown };
      const said = { ...this.result(), 'movelet serve': typeof result === 'string' ? 'works' : `got ${result}` };
      this.write('result.json', JSON.stringify(said));
    } finally {
      process.kill(-node.pid!, 'SIGINT');
      await ended;
    }
  }

  /** Environment variables of all commands from here on. */
  environment: Readonly<Record<string, string>> = {};

  /**
   * Goes on in a new folder that has `files` of this one, LevelDB, pg and ws, while this one is no longer where it was: a
   * bundle must not look for what the machine had that built it.
   */
  move(...files: readonly string[]): void {
    const [from, to] = [this.folder, `${this.folder}-elsewhere`];
    mkdirSync(to);
    for (const file of files) cpSync(join(from, file), join(to, file), { recursive: true });
    renameSync(from, `${from}-gone`);
    this.folder = to;
    const packages = join(this.#workshop.installed, 'node_modules');
    const wanted = ['level', 'pg', 'ws'];
    for (const name of wanted) {
      const manifest = JSON.parse(readFileSync(join(packages, name, 'package.json'), 'utf8'));
      for (const next of Object.keys(manifest.dependencies ?? {})) if (!wanted.includes(next)) wanted.push(next);
    }
    this.install(wanted.filter((name) => existsSync(join(packages, name))));
  }

  /** What the program said, or undefined if it did not reach its end. */
  result(): Readonly<Record<string, string>> | undefined {
    const path = join(this.folder, 'result.json');
    return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : undefined;
  }
}
