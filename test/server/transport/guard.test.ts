/** Which names, origins and sites a listener accepts, by what it binds and what its options allow. */
import { hostname } from 'node:os';
import { describe, expect, it } from 'vitest';
import { EngineError } from '../../../src/base/error.ts';
import { Guard, type GuardOptions } from '../../../src/server/transport/guard.ts';

const guard = (host: string, options: GuardOptions = {}): Guard => new Guard(host, options);

const LOOPBACK = ['localhost', '127.0.0.1', '[::1]'];
const OWN_NAMES = [hostname(), `${hostname()}.local`];
const OTHERS = ['evil.example', '10.0.0.6', '[fe80::2]'];

describe('a Host', () => {
  it.each([
    ['127.0.0.1', LOOPBACK, [...OWN_NAMES, ...OTHERS]],
    ['localhost', LOOPBACK, [...OWN_NAMES, ...OTHERS]],
    ['LocalHost', LOOPBACK, [...OWN_NAMES, ...OTHERS]],
    ['::1', LOOPBACK, [...OWN_NAMES, ...OTHERS]],
    ['127.0.0.2', ['127.0.0.2', ...LOOPBACK], [...OWN_NAMES, ...OTHERS]],
    ['0.0.0.0', ['0.0.0.0', ...LOOPBACK, ...OWN_NAMES], OTHERS],
    ['::', ['[::]', ...LOOPBACK, ...OWN_NAMES], OTHERS],
    ['10.0.0.5', ['10.0.0.5', ...OWN_NAMES], [...LOOPBACK, ...OTHERS]],
    ['FE80::1', ['[fe80::1]', '[FE80::1]', ...OWN_NAMES], [...LOOPBACK, ...OTHERS]],
    [
      'Node.Example',
      ['node.example', 'NODE.EXAMPLE', ...OWN_NAMES],
      [...LOOPBACK, ...OTHERS, 'node.example.evil.example'],
    ],
  ])('of a listener on %s is one of its own', (bound, own, foreign) => {
    const { allowsHost } = bind(guard(bound));
    for (const host of own) expect([host, allowsHost(host, undefined)]).toEqual([host, true]);
    for (const host of foreign) expect([host, allowsHost(host, undefined)]).toEqual([host, false]);
  });

  it('may be one of the options, whatever its case, port and final dot', () => {
    const hosts = ['Node.Example', 'other.example.:8080', '10.0.0.7', '2001:DB8::1', '[2001:db8::2]:80'];
    const { allowsHost } = bind(guard('127.0.0.1', { hosts }));
    const own = ['node.example', 'NODE.example:80', 'node.example.', 'node.example.:80', 'node.example:'];
    for (const host of [...own, 'other.example', '10.0.0.7:6767', '[2001:db8::1]', '[2001:db8::2]']) {
      expect([host, allowsHost(host, undefined)]).toEqual([host, true]);
    }
    for (const host of ['other.example.evil', 'evil.other.example', 'example', '10.0.0.70', '2001:db8::1']) {
      expect([host, allowsHost(host, undefined)]).toEqual([host, false]);
    }
  });

  it.each([
    '',
    ' ',
    'local host',
    'localhost:123456',
    'localhost:8o',
    'localhost:80:80',
    'x@localhost',
    'localhost/',
    '[::1',
    '::1]',
    '::1',
    '[localhost]',
    ':80',
    'localhost..',
    ' localhost',
    'localhost\n',
  ])('that is malformed is refused: %j', (host) => {
    expect(guard('127.0.0.1').allowsHost(host, '127.0.0.1')).toBe(false);
  });

  it('may be the address at which the connection arrived', () => {
    const { allowsHost } = bind(guard('0.0.0.0'));
    expect(allowsHost('10.0.0.5:80', '10.0.0.5')).toBe(true);
    expect(allowsHost('10.0.0.5', '::ffff:10.0.0.5')).toBe(true);
    expect(allowsHost('[2001:db8::1]:80', '2001:DB8::1')).toBe(true);
    expect(allowsHost('[::ffff:a00:5]', '::ffff:a00:5')).toBe(true);
    expect(allowsHost('[a00::ffff:10.0.0.5]', 'a00::ffff:10.0.0.5')).toBe(true);
    for (const [host, address] of [
      ['10.0.0.6', '10.0.0.5'],
      ['10.0.0.5.evil.example', '10.0.0.5'],
      ['10.0.0.5', undefined],
      ['undefined', undefined],
    ] as const) {
      expect([host, allowsHost(host, address)]).toEqual([host, false]);
    }
  });

  it.each(['', 'a b', 'http://node.example', 'node.example/path', 'user@node.example', '[node.example]', '1::2::3'])(
    'as an option is refused at the start: %j',
    (host) => {
      const error = thrownBy(() => guard('127.0.0.1', { hosts: ['node.example', host] }));
      expect(error).toMatchObject({ code: 'invalid-argument' });
      expect(error.message).toContain(JSON.stringify(host));
    },
  );
});

describe('a listener', () => {
  it.each([
    ['127.0.0.1', undefined, true],
    ['127.8.9.10', undefined, true],
    ['localhost', [], true],
    ['::1', undefined, true],
    ['127.0.0.1', ['node.example'], false],
    ['0.0.0.0', undefined, false],
    ['::', undefined, false],
    ['10.127.0.1', undefined, false],
    ['node.example', undefined, false],
  ])('on %s with the names %j is for this machine only: %s', (host, hosts, isLocal) => {
    expect(guard(host, { hosts }).isLocal).toBe(isLocal);
  });
});

describe('an Origin', () => {
  const HOST = 'Node.Example:81';

  it.each([
    'http://localhost',
    'https://localhost:3000',
    'HTTP://LOCALHOST:3000',
    'http://127.0.0.1',
    'http://127.200.3.4:65535',
    'https://[::1]:5173',
    'http://node.example:81',
    'https://NODE.example:81',
  ])('on this machine, or that of the listener, may call: %s', (origin) => {
    expect(guard('127.0.0.1').allowsOrigin(origin, HOST)).toBe(true);
  });

  it.each([
    '',
    'null',
    'localhost',
    'ftp://localhost',
    'xhttp://localhost',
    'http://localhost.evil.example',
    'http://localhost:3000.evil.example',
    'http://localhost:',
    'http://localhost:123456',
    'http://evil-localhost',
    'http://127.0.0.1.evil.example',
    'http://127.0.0',
    'http://127.0.0.1234',
    'http://127.x.0.1',
    'http://128.0.0.1',
    'http://[::2]',
    'http://[::1]evil',
    'http://node.example',
    'http://node.example:82',
    'ws://node.example:81',
    'http://evil.example/?http://node.example:81',
  ])('of elsewhere may not: %j', (origin) => {
    expect(guard('127.0.0.1').allowsOrigin(origin, HOST)).toBe(false);
    expect(guard('127.0.0.1', { cors: ['https://wallet.example'] }).allowsOrigin(origin, HOST)).toBe(false);
  });

  it.each([
    ['https://Wallet.Example', ['https://wallet.example', 'HTTPS://WALLET.example']],
    ['https://wallet.example/', ['https://wallet.example']],
    ['https://wallet.example:443', ['https://wallet.example']],
    ['http://wallet.example:80', ['http://wallet.example']],
    ['http://wallet.example:8080', ['http://wallet.example:8080']],
    ['chrome-extension://abcdef', ['chrome-extension://abcdef']],
    ['app+dev.1-x://Frame', ['app+dev.1-x://frame']],
    ['null', ['null']],
  ])('may be one of the options: %s', (option, origins) => {
    const { allowsOrigin } = bind(guard('127.0.0.1', { cors: [option] }));
    for (const origin of origins) expect(allowsOrigin(origin, HOST)).toBe(true);
    const { host } = new URL(option.includes('://') ? option : 'x://other');
    for (const origin of [`ftp://${host}`, `${option}x`, 'https://other.example']) {
      expect([origin, allowsOrigin(origin, HOST)]).toEqual([origin, false]);
    }
  });

  it('may be anything if the options say so', () => {
    const { allowsOrigin } = bind(guard('127.0.0.1', { cors: ['https://wallet.example', '*'] }));
    for (const origin of ['https://evil.example', 'null', '']) expect(allowsOrigin(origin, HOST)).toBe(true);
  });

  it.each([
    '',
    'wallet.example',
    'https://',
    'https://a b',
    'https://a/b',
    'https://a?b',
    'https://a#b',
    'https://a@b',
    'https://[x]',
    'http://a:99999',
    '1http://a',
    'ht_tp://a',
    '//a',
    ' https://a',
    'https://a//',
    '**',
    'nullx',
  ])('as an option is refused at the start: %j', (origin) => {
    const error = thrownBy(() => guard('127.0.0.1', { cors: ['https://wallet.example', origin] }));
    expect(error).toMatchObject({ code: 'invalid-argument' });
    expect(error.message).toContain(JSON.stringify(origin));
  });
});

describe('a site', () => {
  it('may cause a request without Origin if it is the listener, the user, or on this machine', () => {
    const { allowsSite } = bind(guard('0.0.0.0', { cors: ['https://wallet.example'] }));
    for (const host of ['localhost:80', 'node.example']) {
      expect(['same-origin', 'none'].map((site) => allowsSite(site, host))).toEqual([true, true]);
      expect(['cross-site', '', 'None', 'none, none'].map((site) => allowsSite(site, host))).toEqual(
        new Array(4).fill(false),
      );
    }
    expect(['localhost:80', '127.0.0.1', '[::1]:1'].map((host) => allowsSite('same-site', host))).toEqual(
      new Array(3).fill(true),
    );
    expect(['node.example', 'localhost.example'].map((host) => allowsSite('same-site', host))).toEqual([false, false]);
  });

  it('may be any if any origin may call', () => {
    expect(guard('127.0.0.1', { cors: ['*'] }).allowsSite('cross-site', 'localhost')).toBe(true);
  });
});

function bind(given: Guard): Pick<Guard, 'allowsHost' | 'allowsOrigin' | 'allowsSite'> {
  return {
    allowsHost: (host, address) => given.allowsHost(host, address),
    allowsOrigin: (origin, host) => given.allowsOrigin(origin, host),
    allowsSite: (site, host) => given.allowsSite(site, host),
  };
}

function thrownBy(action: () => unknown): EngineError {
  try {
    action();
  } catch (error) {
    if (error instanceof EngineError) return error;
    throw error;
  }
  throw new Error('expected it to throw');
}
