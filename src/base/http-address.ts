/**
 * The address of an HTTP server as users write it, split into the URL for `fetch`, the part that messages may show, and the
 * credentials.
 * @module
 */

/** An http or https URL, taken apart. */
export interface HttpAddress {
  /** The URL without user and password: `fetch` refuses one that has them. */
  readonly href: string;
  /** For messages: also without path and query, which hold a key for some services. */
  readonly origin: string;
  /** `user:password`, decoded; undefined if the URL has neither. */
  readonly credentials: string | undefined;
}

/** Reads an address; undefined if it is not an http(s) URL, or if user or password are not percent-encoded. */
export function readHttpAddress(text: string): HttpAddress | undefined {
  if (!URL.canParse(text)) return undefined;
  const url = new URL(text);
  const credentials = credentialsOf(url);
  if (credentials === undefined || !/^https?:$/.test(url.protocol)) return undefined;
  url.username = '';
  url.password = '';
  return { href: url.href, origin: url.origin, credentials: credentials === ':' ? undefined : credentials };
}

function credentialsOf({ username, password }: URL): string | undefined {
  try {
    return `${decodeURIComponent(username)}:${decodeURIComponent(password)}`;
  } catch {
    return undefined;
  }
}

/** `user:password` as `Authorization: Basic` carries it: base64 of UTF-8 (RFC 7617). */
export function basicCredentials(credentials: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(credentials)));
}

/** Why `fetch` failed: the reason is in the error's cause. */
export function fetchFailure(error: unknown): string {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  // A name with several addresses has an error for each, and no message of its own.
  if (inner instanceof AggregateError && inner.message === '') return inner.errors.map(fetchFailure).join('; ');
  return inner instanceof Error ? inner.message || inner.name : String(inner);
}
