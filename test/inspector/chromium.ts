import { existsSync } from 'node:fs';
import { env } from 'node:process';
import { type Browser, chromium } from 'playwright-core';

const { CHROMIUM: named } = env;

/** How long a page may take, on a busy machine too; only a failure waits for so long. */
export const WAIT_MS = 120_000;

export const FLAGS: readonly string[] = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Where Chromium is on this machine, if anywhere. */
export const CHROMIUM: string | undefined = [
  named,
  '/usr/bin/chromium',
  '/usr/bin/chromium-browser',
  '/usr/bin/google-chrome',
].find((path) => path !== undefined && existsSync(path));

/** What a suite's name adds when it is skipped. */
export const SKIPPED: string =
  CHROMIUM === undefined ? ' (skipped: no Chromium was found; install it, or set CHROMIUM to its path)' : '';

export function launchChromium(): Promise<Browser> {
  return chromium.launch({ executablePath: CHROMIUM ?? '', args: [...FLAGS], timeout: WAIT_MS });
}
