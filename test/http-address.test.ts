import { describe, expect, it } from 'vitest';
import { basicCredentials, fetchFailure, readHttpAddress } from '../src/base/http-address.ts';

describe('the address of an HTTP server', () => {
  it.each([
    ['http://host:8332', 'http://host:8332/', 'http://host:8332', undefined],
    ['HTTPS://Host/a/key?token=1', 'https://host/a/key?token=1', 'https://host', undefined],
    ['http://me:p%40ss%3A@host:80/', 'http://host/', 'http://host', 'me:p@ss:'],
    ['http://me@host', 'http://host/', 'http://host', 'me:'],
    ['http://:secret@[::1]:1', 'http://[::1]:1/', 'http://[::1]:1', ':secret'],
  ])('%s', (text, href, origin, credentials) => {
    expect(readHttpAddress(text)).toEqual({ href, origin, credentials });
  });

  it.each(['', 'host:8332', 'ftp://host', 'file:///etc/passwd', 'http://', 'http://%zz@host'])('%j is none', (text) => {
    expect(readHttpAddress(text)).toBeUndefined();
  });

  // RFC 7617, sections 2 and 2.1.
  it.each([
    ['Aladdin:open sesame', 'QWxhZGRpbjpvcGVuIHNlc2FtZQ=='],
    ['test:123\u00a3', 'dGVzdDoxMjPCow=='],
  ])('credentials %j', (credentials, base64) => {
    expect(basicCredentials(credentials)).toBe(base64);
  });

  it('says why a request failed', () => {
    const refused = (address: string): Error => new Error(`connect ECONNREFUSED ${address}`);
    const failed = (cause?: unknown): Error => new TypeError('fetch failed', { cause });
    expect(fetchFailure(failed())).toBe('fetch failed');
    expect(fetchFailure(failed(refused('127.0.0.1:1')))).toBe('connect ECONNREFUSED 127.0.0.1:1');
    // As Node.js fails for `localhost`, which has two addresses.
    const both = new AggregateError([refused('::1:1'), refused('127.0.0.1:1')]);
    expect(fetchFailure(failed(both))).toBe('connect ECONNREFUSED ::1:1; connect ECONNREFUSED 127.0.0.1:1');
    expect(fetchFailure(new DOMException('', 'TimeoutError'))).toBe('TimeoutError');
    expect(fetchFailure('no error')).toBe('no error');
  });
});
