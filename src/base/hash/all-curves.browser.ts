/**
 * A page loads the curves with whatever uses them (curves.browser.ts).
 * @module
 */
export {};
