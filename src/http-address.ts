/**
 * The address of an HTTP server, as users write it: what `fetch` is given, what a message may show, and the credentials,
 * which are apart from both.
 * @module
 */

/** An http or https URL, taken apart. */
export interface HttpAddress {
  /** The URL without user and password: `fetch` refuses one that has them. */
  readonly href: string;
  /** For messages: also without path and query, where some services expect a key. */
  readonly origin: string;
  /** `user:password`, decoded; undefined if the URL has neither. */
  readonly credentials: string | undefined;
}

/** Reads an address; undefined for text that is no http or https URL, or whose user or password is not percent-encoded. */
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

/** `user:password` as the header `Authorization: Basic` holds it: base64 of UTF-8 (RFC 7617). */
export function basicCredentials(credentials: string): string {
  return btoa(String.fromCharCode(...new TextEncoder().encode(credentials)));
}

/** Why `fetch` failed. The error itself says only that it did; its cause says why. */
export function fetchFailure(error: unknown): string {
  const inner = error instanceof Error && error.cause instanceof Error ? error.cause : error;
  // A name with several addresses: one error for each, and none for all.
  if (inner instanceof AggregateError && inner.message === '') return inner.errors.map(fetchFailure).join('; ');
  return inner instanceof Error ? inner.message || inner.name : String(inner);
}
