/**
 * A page loads each module with whatever uses it (noble.browser.ts).
 * @module
 */
export {};
