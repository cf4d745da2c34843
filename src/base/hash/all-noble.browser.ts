/**
 * Empty: a page loads each module of `@noble` with its importers (noble.browser.ts).
 * @module
 */
export {};
