/**
 * The one page of a browser that all tests of a file use, one after the other: a window of its own takes Chromium more
 * than a second of processor time, a page that is loaded anew less than half of one.
 */
import type { Browser, CDPSession, Page } from 'playwright-core';
import { launchChromium, WAIT_MS } from './chromium.ts';

const VIEWPORT = { width: 1280, height: 720 };

/** No answer comes at once: a test that does not wait for one always fails, not only on a busy machine. In ms. */
const LINK = { offline: false, latency: 50, downloadThroughput: -1, uploadThroughput: -1 };

/** What a test wants of the browser. */
export interface Wishes {
  readonly viewport?: { readonly width: number; readonly height: number };
  readonly colorScheme?: 'light' | 'dark';
  readonly permissions?: readonly string[];
}

export class OpenedPage {
  readonly page: Page;
  /** Errors and warnings of its console. */
  readonly complaints: string[] = [];
  readonly #browser: Browser;
  readonly #session: CDPSession;

  private constructor(browser: Browser, page: Page, session: CDPSession) {
    this.#browser = browser;
    this.#session = session;
    this.page = page;
    page.setDefaultTimeout(WAIT_MS);
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.complaints.push(message.text());
    });
  }

  static async launch(): Promise<OpenedPage> {
    const browser = await launchChromium();
    const page = await browser.newPage({ viewport: VIEWPORT });
    const session = await page.context().newCDPSession(page);
    await session.send('Network.enable');
    await session.send('Network.emulateNetworkConditions', LINK);
    return new OpenedPage(browser, page, session);
  }

  /** Loads `url` as a new browser would, and waits until the node has listed its methods. */
  async open(url: string, wishes: Wishes = {}): Promise<void> {
    await this.load(url, wishes);
    await this.shows('#status', 'methods');
  }

  /** Loads `url`, and does not wait for the node's answer. */
  async load(url: string, { viewport = VIEWPORT, colorScheme, permissions = [] }: Wishes = {}): Promise<void> {
    await this.page.setViewportSize(viewport);
    await this.page.emulateMedia({ colorScheme: colorScheme ?? null });
    await this.page.context().grantPermissions([...permissions], { origin: new URL(url).origin });
    await this.page.goto(url);
  }

  /** Goes to another view of the page that is open, which is loaded only once for many tests; the same view is shown anew. */
  async visit(hash: string, { viewport = VIEWPORT, colorScheme }: Wishes = {}): Promise<void> {
    await this.page.setViewportSize(viewport);
    await this.page.emulateMedia({ colorScheme: colorScheme ?? null });
    // Once the page has heard of it, nothing is left of the previous view.
    await this.page.evaluate(`new Promise((resolve) => {
      addEventListener('hashchange', resolve, { once: true });
      if (location.hash === '${hash}') dispatchEvent(new HashChangeEvent('hashchange'));
      else location.hash = '${hash}';
    })`);
  }

  /** Leaves nothing behind for the next test: no page, no connection, nothing stored, no permission. */
  async leave(): Promise<void> {
    const { origin } = new URL(this.page.url());
    await this.page.goto('about:blank');
    if (origin !== 'null') await this.#session.send('Storage.clearDataForOrigin', { origin, storageTypes: 'all' });
    await this.page.context().clearPermissions();
  }

  /** Asks another node, whose URL is in the menu. */
  async connect(url: string): Promise<void> {
    if (!(await this.page.isVisible('#url'))) await this.page.click('#menu summary');
    await this.page.fill('#url', url);
    await this.page.click('#node button');
  }

  async shows(selector: string, part: string): Promise<void> {
    await this.page.locator(selector, { hasText: part }).first().waitFor({ state: 'attached' });
  }

  async text(selector: string): Promise<string> {
    return (await this.page.locator(selector).innerText()).trim();
  }

  async close(): Promise<void> {
    await this.#browser.close();
  }
}
