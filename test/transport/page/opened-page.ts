/** A page of the web client in a browser of its own context, which hears what the page complains of. */
import type { Browser, BrowserContext, Page } from 'playwright-core';

/** How long the page may take, on a busy machine too; only a failure waits for so long. */
const WAIT_MS = 30_000;

export class OpenedPage {
  readonly page: Page;
  /** Errors and warnings of its console. */
  readonly complaints: string[] = [];
  readonly #context: BrowserContext;

  private constructor(context: BrowserContext, page: Page) {
    this.#context = context;
    this.page = page;
    page.setDefaultTimeout(WAIT_MS);
    page.on('pageerror', (error) => this.complaints.push(String(error)));
    page.on('console', (message) => {
      if (message.type() === 'error' || message.type() === 'warning') this.complaints.push(message.text());
    });
  }

  /** Opens `url`, and waits until the node has listed its methods. */
  static async open(
    browser: Browser,
    url: string,
    options: Parameters<Browser['newContext']>[0] = {},
  ): Promise<OpenedPage> {
    const context = await browser.newContext(options);
    const opened = new OpenedPage(context, await context.newPage());
    await opened.page.goto(url);
    await opened.shows('#status', 'methods');
    return opened;
  }

  async shows(selector: string, part: string): Promise<void> {
    await this.page.locator(selector, { hasText: part }).first().waitFor({ state: 'attached' });
  }

  async text(selector: string): Promise<string> {
    return (await this.page.locator(selector).innerText()).trim();
  }

  close(): Promise<void> {
    return this.#context.close();
  }
}
