/**
 * Long scans in pieces: everything else comes in between, by order. At 6c57e4c `syncStates` with a filter that matches
 * nothing read all change sets of the chain before anybody else was answered.
 */
import { describe, expect, it } from 'vitest';
import { createRpc } from '../../src/server/index.ts';
import { SCAN_PIECE_BYTES, SCAN_PIECE_ROWS } from '../../src/store/limits.ts';
import { nextPiece, ScanPieces } from '../../src/store/piece.ts';
import { HandEngine } from '../journeys/hand.ts';

describe('pieces', () => {
  it('are filled by rows or by bytes', () => {
    const pieces = new ScanPieces();
    const filled = Array.from({ length: 3 * SCAN_PIECE_ROWS }, () => pieces.add(1));
    expect(filled.flatMap((isFull, at) => (isFull ? [at + 1] : []))).toEqual([1, 2, 3].map((n) => n * SCAN_PIECE_ROWS));
    expect([pieces.add(SCAN_PIECE_BYTES - 1), pieces.add(1), pieces.add(1)]).toEqual([false, true, false]);
  });

  it('go to all scans in turn, one in each round of the event loop', async () => {
    const told: string[] = [];
    const scan = async (name: string): Promise<void> => {
      for (let piece = 0; piece < 3; piece++) {
        await nextPiece();
        told.push(name);
      }
    };
    const perRound: number[] = [];
    let isOver = false;
    const watch = (): void => {
      perRound.push(told.length);
      if (!isOver) setImmediate(watch);
    };
    setImmediate(watch);
    await Promise.all([scan('a'), scan('b'), scan('c')]);
    isOver = true;
    expect(told.join('')).toBe('abcabcabc');
    expect(perRound.every((count, index) => count - (perRound[index - 1] ?? 0) <= 1)).toBe(true);
  });
});

describe('a scan that finds nothing', () => {
  it('of change sets, lets a request that came later be answered first, on one moment of the chain', async () => {
    await using hand = await HandEngine.open();
    for (let serial = 0; serial < 6 * SCAN_PIECE_ROWS; serial++) await hand.commit();
    const rpc = createRpc(hand.engine);
    const told: string[] = [];
    const ask = async (name: string, method: string, params: readonly unknown[], connection: object): Promise<void> => {
      const answer = await rpc.handle(JSON.stringify({ jsonrpc: '2.0', id: 1, method, params }), { connection });
      expect(JSON.parse(answer!), name).toHaveProperty('result');
      told.push(name);
    };
    const nothing = [{ object_i_d: `0x${'77'.repeat(32)}` }, null, '10', null];
    const flood = {};
    const scans = [1, 2, 3].map((index) => ask(`scan ${index}`, 'rooch_syncStates', nothing, flood));
    await new Promise((resolve) => setImmediate(resolve));
    await ask('balance', 'rooch_getChainID', [], {});
    await Promise.all(scans);
    expect(told[0]).toBe('balance');
    expect(told.slice(1).sort()).toEqual(['scan 1', 'scan 2', 'scan 3']);
  });
});
