/**
 * What importing the package costs a program: `import('movelet')` in a fresh process, against `import('level')` alone,
 * which any program that keeps its chain in a directory pays anyway. Medians of processes run in turn, so that a busy
 * moment of the machine affects all of them. The user's wait, from the import to the first balance and to the first
 * view, is the minimum over as many processes: anything more is due to the machine.
 */
import { execFileSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type BenchLine, line } from './line.ts';
import { median } from './measure.ts';

const ROOT = fileURLToPath(new URL('../../', import.meta.url));

/** Runs a module in a new process, from the root of the package; returns what it prints. */
function printed(program: string): string {
  return execFileSync(process.execPath, ['--input-type=module', '--eval', program], { cwd: ROOT, encoding: 'utf8' });
}

/** What importing a package takes, not counting Node's startup: elapsed and processor milliseconds. */
interface Import {
  readonly clock: number;
  readonly processor: number;
}

/** Measures the import of `specifier` in a new process. */
function measureImport(specifier: string): Import {
  const program = `const before = process.cpuUsage();
    const start = performance.now();
    await import(${JSON.stringify(specifier)});
    const clock = performance.now() - start;
    const { user, system } = process.cpuUsage(before);
    process.stdout.write(JSON.stringify({ clock, processor: (user + system) / 1000 }));`;
  return JSON.parse(printed(program)) as Import;
}

/** Milliseconds from the import of the package to an engine's first answers, in a new process. */
interface FirstAnswers {
  readonly balance: number;
  readonly view: number;
}

function measureFirstAnswers(): FirstAnswers {
  const program = `const start = performance.now();
    const { Engine, GAS_COIN_TYPE } = await import('movelet');
    const engine = await Engine.open();
    const account = new Uint8Array(32).fill(0x11);
    engine.balances.get(account, GAS_COIN_TYPE);
    const balance = performance.now() - start;
    engine.view({ function: '0x3::gas_coin::balance', arguments: [account] });
    const view = performance.now() - start;
    process.stdout.write(JSON.stringify({ balance, view }));
    await engine.close();`;
  return JSON.parse(printed(program)) as FirstAnswers;
}

/** Milliseconds of an entire process that runs a module and exits. */
function processMilliseconds(program: string): number {
  const start = performance.now();
  printed(program);
  return performance.now() - start;
}

export async function run(short: boolean): Promise<readonly BenchLine[]> {
  const rounds = short ? 5 : 31;
  const answers: FirstAnswers[] = [];
  const measured = { movelet: [] as Import[], level: [] as Import[], process: [] as number[], empty: [] as number[] };
  for (let round = 0; round < rounds; round++) {
    measured.movelet.push(measureImport('movelet'));
    measured.level.push(measureImport('level'));
    answers.push(measureFirstAnswers());
    measured.process.push(processMilliseconds("await import('movelet');"));
    measured.empty.push(processMilliseconds(''));
  }
  const of = (imports: readonly Import[], member: keyof Import): number => median(imports.map((it) => it[member]));
  const beside = (name: string, member: keyof Import, target?: string): BenchLine => {
    const baseline = { name: 'importing level', value: of(measured.level, member) };
    return line(name, of(measured.movelet, member), 'ms', baseline, target);
  };
  const [balance, view] = [answers.map((first) => first.balance), answers.map((first) => first.view)];
  const empty = { name: 'an empty process', value: median(measured.empty) };
  return [
    beside('import the package', 'clock', '60 ms, stretch 30'),
    beside('processor time of importing it', 'processor'),
    line('from its import to the first balance', Math.min(...balance), 'ms', undefined, '45 ms'),
    line('from its import to the first view', Math.min(...view), 'ms', undefined, '75 ms'),
    line('a process that imports it and ends', median(measured.process), 'ms', empty),
  ];
}
