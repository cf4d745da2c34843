/**
 * A page of a browser that is started as a program, with nothing that drives it: the page loads the script that it is to
 * run, reports its result, and reloads itself. So any browser can be tested that takes a URL.
 * @module
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { existsSync, mkdtempSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process, { env } from 'node:process';
import { text } from 'node:stream/consumers';
import { CHROMIUM, FLAGS, SKIPPED } from '../inspector/chromium.ts';
import { contentTypeOf, type Files } from './served.ts';

export interface Browser {
  readonly name: string;
  /** Undefined if it is not on this machine. */
  readonly path: string | undefined;
  /** What a suite's name adds when it is skipped. */
  readonly skipped: string;
  /** @param profile an empty folder */
  flags(profile: string): string[];
}

const firefox = [env['FIREFOX'], '/usr/bin/firefox', '/usr/bin/firefox-esr'].find(
  (path) => path !== undefined && existsSync(path),
);

export const BROWSERS: readonly Browser[] = [
  {
    name: 'Chromium',
    path: CHROMIUM,
    skipped: SKIPPED,
    flags: (profile) => [...FLAGS, `--user-data-dir=${profile}`],
  },
  {
    name: 'Firefox',
    path: firefox,
    skipped: firefox === undefined ? ' (skipped: no Firefox was found; install it, or set FIREFOX to its path)' : '',
    flags: (profile) => ['--headless', '--no-remote', '--profile', profile],
  },
];

/** What a script's run came to. */
export interface Report {
  /** What the script gave to `report`; undefined if it failed before. */
  readonly result?: unknown;
  /** Errors and warnings of the page's console. */
  readonly complaints: readonly string[];
}

const HTML = `<!doctype html><link rel="icon" href="data:,"><title>tests</title>
<script>
  const complaints = [];
  globalThis.report = async (result) => {
    await fetch('/report', { method: 'POST', body: JSON.stringify({ result, complaints }) });
    location.reload();
  };
  for (const level of ['error', 'warn']) console[level] = (...given) => complaints.push(given.join(' '));
  const fail = (problem) => {
    complaints.push(problem);
    report();
  };
  addEventListener('error', ({ message }) => fail(message));
  addEventListener('unhandledrejection', ({ reason }) => fail(String(reason)));
</script>
<script type="module" src="run.js"></script>`;

/** How long a script may run. */
const RUN_MS = 300_000;

export class ReportingPage {
  readonly #profile = mkdtempSync(join(tmpdir(), 'movelet-page-'));
  readonly #files: Files;
  readonly #server: Server;
  readonly #events = new EventEmitter();
  #browser: ChildProcess | undefined;
  /** The script that no page has fetched yet. */
  #script: string | undefined;

  private constructor(files: Files) {
    this.#files = files;
    this.#server = createServer((request, response) => void this.#answer(request, response));
  }

  static async open({ path = '', flags }: Browser, files: Files): Promise<ReportingPage> {
    const page = new ReportingPage(files);
    page.#server.listen(0, '127.0.0.1');
    await once(page.#server, 'listening');
    const { port } = page.#server.address() as AddressInfo;
    // A group of its own, so that what the browser starts ends with it.
    page.#browser = spawn(path, [...flags(page.#profile), `http://127.0.0.1:${port}/`], {
      detached: true,
      stdio: 'ignore',
    });
    process.on('exit', page.#kill);
    return page;
  }

  /**
   * Runs a module, which calls `report` with its result, in a page that is loaded anew.
   * @throws AbortError if the browser has ended, or hangs
   */
  async run(script: string): Promise<Report> {
    const reported = once(this.#events, 'report', { signal: AbortSignal.timeout(RUN_MS) }) as Promise<[Report]>;
    this.#script = script;
    this.#events.emit('script');
    const [report] = await reported;
    return report;
  }

  async close(): Promise<void> {
    process.off('exit', this.#kill);
    const browser = this.#browser!;
    const exited = browser.exitCode === null && browser.signalCode === null ? once(browser, 'exit') : undefined;
    this.#kill();
    await exited;
    this.#server.close();
    this.#server.closeAllConnections();
    await once(this.#server, 'close');
    rmSync(this.#profile, { recursive: true, force: true, maxRetries: 20 });
  }

  readonly #kill = (): void => {
    try {
      process.kill(-this.#browser!.pid!, 'SIGKILL');
    } catch {
      // It has ended.
    }
  };

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const path = new URL(request.url ?? '/', 'http://localhost').pathname.slice(1);
    const send = (content: string | Uint8Array | undefined, name = path): void => {
      response.writeHead(content === undefined ? 404 : 200, { 'content-type': contentTypeOf(name) });
      response.end(content);
    };
    if (path === '') send(HTML, 'index.html');
    else if (path === 'run.js') {
      if (this.#script === undefined) await once(this.#events, 'script');
      send(this.#script);
      this.#script = undefined;
    } else if (path === 'report') {
      const report = JSON.parse(await text(request)) as Report;
      send('');
      this.#events.emit('report', report);
    } else send(this.#files.get(path));
  }
}
