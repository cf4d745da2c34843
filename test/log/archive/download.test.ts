/** Downloads: the bytes that the server has, or an error that says what is wrong and repeats no secret. */
import { describe, expect, it } from 'vitest';
import { download, downloadOrigin, isDownload } from '../../../src/log/archive/download.ts';
import { collected } from '../../collected.ts';
import { FileServer } from './file-server.ts';

const FILE = Uint8Array.from({ length: 300_000 }, (_, at) => (at * 31) & 0xff);
/** Longer than a busy machine takes for a few bytes. */
const PATIENT_MS = 30_000;

async function bytesOf(chunks: AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  return new Uint8Array(Buffer.concat(await collected(chunks)));
}

describe('a download', () => {
  it('is the file, whole', async () => {
    await using server = await FileServer.open(FILE);
    expect(await bytesOf(download(`${server.url}/chain.dump?key=1`))).toEqual(FILE);
    expect(server.requests).toEqual(['/chain.dump?key=1']);
  });

  it('follows redirects, with the user and the password that the URL has', async () => {
    await using server = await FileServer.open(FILE);
    const seen: (string | undefined)[] = [];
    server.reply((response, { url, headers }) => {
      seen.push(headers.authorization);
      if (url === '/here') response.end(FILE);
      else response.writeHead(302, { location: '/here' }).end();
    });
    const url = server.url.replace('http://', 'http://al%20ice:p%C3%A4ss@');
    expect(await bytesOf(download(`${url}/there`))).toEqual(FILE);
    const credentials = `Basic ${Buffer.from('al ice:päss').toString('base64')}`;
    expect(seen).toEqual([credentials, credentials]);
  });

  it('ends with an error if the server has no such file', async () => {
    await using server = await FileServer.open(FILE);
    server.reply((response) => response.writeHead(404).end('nothing here'));
    await expect(bytesOf(download(`${server.url}/chain.dump?key=secret`))).rejects.toMatchObject({
      code: 'not-found',
      message: `bootstrap: ${server.url} answers HTTP 404, and gives no file`,
    });
  });

  it('ends with an error if the connection breaks', async () => {
    await using server = await FileServer.open(FILE);
    server.endAfter(FILE.length - 1);
    await expect(bytesOf(download(`${server.url}/?key=secret`, PATIENT_MS))).rejects.toMatchObject({
      code: 'transport-failed',
      message: expect.stringMatching(new RegExp(`^bootstrap: the download from ${server.url} failed: `)),
    });
  });

  it.each([0, 1000])('ends with an error if the server sends nothing more after %i bytes', async (length) => {
    await using server = await FileServer.open(FILE);
    if (length === 0) server.reply(() => {});
    else server.stopAfter(length);
    await expect(bytesOf(download(server.url, 100))).rejects.toMatchObject({
      code: 'transport-failed',
      message: `bootstrap: the download from ${server.url} failed: it said nothing for 100 ms`,
    });
  });

  it('ends with an error if nothing listens there', async () => {
    const server = await FileServer.open(FILE);
    const { url } = server;
    await server[Symbol.asyncDispose]();
    await expect(bytesOf(download(`${url}/?key=secret`))).rejects.toMatchObject({
      code: 'transport-failed',
      message: expect.not.stringContaining('secret'),
    });
  });

  it('closes the connection when the reader stops', async () => {
    await using server = await FileServer.open(FILE);
    const closed = new Promise<void>((resolve) => {
      server.reply((response) => {
        response.on('close', resolve);
        response.write(FILE);
      });
    });
    for await (const chunk of download(server.url)) {
      expect(chunk.length).toBeGreaterThan(0);
      break;
    }
    await closed;
  });

  it.each(['http://', 'http://alice:secret@host:port/', 'http://%zz:secret@host/'])('refuses %s', async (url) => {
    await expect(bytesOf(download(url))).rejects.toMatchObject({
      code: 'invalid-argument',
      message: 'bootstrap: expected a path or an http or https URL, got one that is not valid',
    });
  });
});

describe('an address', () => {
  it('is of a server, and no path', () => {
    expect(
      ['https://host/x', 'HTTP://host', './https', 'C:\\http', '/http://host', 'ftp://host'].map(isDownload),
    ).toEqual([true, true, false, false, false, false]);
  });

  it('is named without its secrets', () => {
    expect(downloadOrigin('https://alice:secret@host:8443/bucket/key?signature=x#y')).toBe('https://host:8443');
  });
});
