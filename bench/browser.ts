/**
 * An engine in a page, in each browser that this machine has, beside the same program in a new process of Node. Times are
 * wall-clock medians of alternated runs, each in a page or process that has run nothing yet.
 */
import { bundle } from '../test/browser/bundle.ts';
import { BROWSERS, type Browser, ReportingPage } from '../test/browser/reporting-page.ts';
import type { BenchLine } from './line.ts';
import { inFreshProcess, median } from './measure.ts';

const TRANSFERS = 1_000;

/** What is measured, as expressions over the uses of `program.ts` and the time before they were imported. */
const FIRST_RECEIPT = 'uses.firstReceipt().then(() => performance.now() - begun)';
const ALL_TRANSFERS = `uses.transfers(${TRANSFERS}).then(({ ms }) => ms)`;

const measuring = (program: string, expression: string, report: string): string =>
  `const begun = performance.now();\nconst uses = await import('${program}');\n${report}(await ${expression});`;

const PROGRAM = new URL('../test/browser/program.js', import.meta.url).href;
const inNode = (expression: string): number => inFreshProcess(measuring(PROGRAM, expression, 'console.log'));

async function inPage(page: ReportingPage, expression: string): Promise<number> {
  const { result, complaints } = await page.run(measuring('./program.js', expression, 'report'));
  if (typeof result !== 'number') throw new Error(`expected a number, got ${JSON.stringify({ result, complaints })}`);
  return result;
}

export async function run(short: boolean): Promise<readonly BenchLine[]> {
  const { files } = await bundle("export * from './test/browser/program.js';");
  const lines: BenchLine[] = [];
  for (const browser of BROWSERS) {
    if (browser.path !== undefined) lines.push(...(await measured(browser, files, short ? 3 : 9)));
    else process.stderr.write(`${browser.name}${browser.skipped}\n`);
  }
  return lines;
}

async function measured(
  browser: Browser,
  files: ReadonlyMap<string, Uint8Array>,
  rounds: number,
): Promise<readonly BenchLine[]> {
  const page = await ReportingPage.open(browser, files);
  try {
    const line = async (name: string, expression: string, target: string): Promise<BenchLine> => {
      const times = { page: [] as number[], node: [] as number[] };
      for (let round = 0; round < rounds; round++) {
        times.page.push(await inPage(page, expression));
        times.node.push(inNode(expression));
      }
      const baseline = { name: 'Node', value: median(times.node) };
      return { name: `${name}, ${browser.name}`, value: median(times.page), unit: 'ms', baseline, target };
    };
    return [
      await line('import to first receipt', FIRST_RECEIPT, '900 ms'),
      await line(`${TRANSFERS} transfers`, ALL_TRANSFERS, '1.3x'),
    ];
  } finally {
    await page.close();
  }
}
