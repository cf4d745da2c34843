/**
 * Every release of the reference's framework, made again from the sources of the commit that it was built from, which the
 * history of a checkout of the reference has (`MOVELET_REFERENCE`). Set MOVELET_LONG=1 to run them all, otherwise it is
 * the oldest.
 */
import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { compileMove } from '../../../src/compile/move-compiler.ts';
import { addressOf } from '../../../src/move/address.ts';
import { releasedPackages, releaseNumbers } from '../../vm/corpus.ts';
import { ADDRESSES, codesOf } from './front-end.ts';

const REFERENCE = process.env['MOVELET_REFERENCE'] ?? '';
const hasHistory = existsSync(`${REFERENCE}/.git`);
const note = hasHistory ? '' : ' (skipped: MOVELET_REFERENCE names no checkout with its history)';

/** By release: the commit with its sources. All but the fourth are those that added or last changed the release. */
const COMMITS: Readonly<Record<number, string>> = {
  1: '5b867a4f3',
  2: 'd7a0bea60',
  3: '619cb6361',
  4: '15d75d9c2',
  5: 'a458d4e1a',
  6: '82899480b',
  7: 'afb680374',
  8: '56461ac7e',
  9: '2f4598180',
  10: '4f6dc10d7',
  11: 'd33a32ca9',
  12: '8c4168e4f',
  13: 'a167ff18b',
  14: 'a92821b6f',
  15: '69d779d4a',
  16: 'f358cba60',
  17: '2b2c0adc9',
  18: 'b069c9a45',
  19: 'eef30cf5e',
  20: '82a7c6041',
  21: 'a9a0cff6a',
  22: 'de99d57cb',
  23: '7a58cc50c',
  24: '898752fdf',
  25: 'f8377583b',
  26: 'ca80c7da5',
  27: 'bea0861a5',
};

const PACKAGES = ['move-stdlib', 'moveos-stdlib', 'rooch-framework', 'bitcoin-move'];
const FRAMEWORK_ADDRESSES = new Map([...ADDRESSES, ['vm', addressOf(0)], ['vm_reserved', addressOf(0)]]);
const MEGABYTE = 1 << 20;

function git(args: readonly string[], input = ''): Buffer {
  return execFileSync('git', ['-C', REFERENCE, ...args], { input, maxBuffer: 64 * MEGABYTE });
}

/** The sources of the framework at a commit, by path. */
function sourcesAt(commit: string): Map<string, string> {
  const folders = PACKAGES.map((name) => `frameworks/${name}/sources`);
  const listed = git(['ls-tree', '-r', commit, '--', ...folders]).toString('latin1');
  const files = [...listed.matchAll(/^\d+ blob (\w+)\t(.*\.move)$/gm)].map(([, id, path]) => ({
    id: id!,
    path: path!,
  }));
  const blobs = git(['cat-file', '--batch'], files.map(({ id }) => `${id}\n`).join(''));
  const sources = new Map<string, string>();
  let at = 0;
  for (const { path } of files) {
    const end = blobs.indexOf('\n', at);
    const size = Number(blobs.toString('latin1', at, end).split(' ')[2]);
    sources.set(path, blobs.toString('utf8', end + 1, end + 1 + size));
    at = end + size + 2;
  }
  return sources;
}

describe.skipIf(!hasHistory)(`released frameworks${note}`, () => {
  const releases = hasHistory ? releaseNumbers() : [];

  it('have a commit with their sources', () => {
    expect(releases.filter((release) => COMMITS[release] === undefined)).toEqual([]);
  });

  const chosen = process.env['MOVELET_LONG'] === '1' ? releases : releases.slice(0, 1);
  it.each(chosen)('are made again byte for byte: release %i', (release) => {
    const targets = [{ files: sourcesAt(COMMITS[release]!), addresses: FRAMEWORK_ADDRESSES }];
    const mode = { hasTests: false, hasVerification: false };
    const { modules, diagnostics } = compileMove({ targets, dependencies: [], mode });
    expect(codesOf(diagnostics).filter((code) => !code.startsWith('W'))).toEqual([]);
    const made = new Set(modules.map(({ bytes }) => Buffer.from(bytes).toString('base64')));
    const released = releasedPackages(release).flatMap((each) => each.modules);
    expect(released.filter((bytes) => !made.has(Buffer.from(bytes).toString('base64')))).toEqual([]);
    expect(made.size).toBe(released.length);
  });
});
