/**
 * What tests that run in a page name of Node: files of the project, which the server gives, and their paths.
 * @module
 */
interface Request {
  open(method: string, url: string, isAsync: boolean): void;
  overrideMimeType(type: string): void;
  send(): void;
  readonly status: number;
  readonly responseText: string;
}

declare const XMLHttpRequest: new () => Request;

function requested(path: string | URL): Request {
  const request = new XMLHttpRequest();
  request.open('GET', String(path), false);
  // One character for each byte.
  request.overrideMimeType('text/plain; charset=x-user-defined');
  request.send();
  return request;
}

export const existsSync = (path: string | URL): boolean => requested(path).status === 200;

export function readFileSync(path: string | URL, encoding?: string): Uint8Array | string {
  const { responseText } = requested(path);
  const bytes = Uint8Array.from(responseText, (letter) => letter.charCodeAt(0) & 0xff);
  return encoding === undefined ? bytes : new TextDecoder().decode(bytes);
}

export const fileURLToPath = (url: string | URL): string => String(url);
export const createCipheriv = (): never => {
  throw new Error('a page has no node:crypto');
};
