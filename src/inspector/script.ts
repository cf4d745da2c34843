/**
 * The script of the web client: plain JavaScript in the files of `script/`, joined into one function scope.
 *
 * It is text because it runs in a page: it is neither compiled nor imported. Its comments are not sent.
 * @module
 */
import { accounts } from './script/accounts.ts';
import { caller } from './script/caller.ts';
import { chain } from './script/chain.ts';
import { contract } from './script/contract.ts';
import { controls } from './script/controls.ts';
import { effects } from './script/effects.ts';
import { json } from './script/json.ts';
import { main } from './script/main.ts';
import { names } from './script/names.ts';
import { node } from './script/node.ts';
import { sender } from './script/sender.ts';
import { state } from './script/state.ts';
import { trace } from './script/trace.ts';
import { transaction } from './script/transaction.ts';
import { value } from './script/value.ts';
import { view } from './script/view.ts';
import { watcher } from './script/watcher.ts';

const PARTS = [
  json,
  view,
  node,
  names,
  value,
  caller,
  effects,
  trace,
  transaction,
  contract,
  sender,
  accounts,
  state,
  controls,
  watcher,
  chain,
  main,
];

/** Lines that contain only a comment. */
const COMMENT_LINES = /^ *(?:\/\*\*.*|\*(?: .*|\/)?|\/\/ .*)\n/gm;

/**
 * The script of a page.
 * @param first declares `inside`: the engine in the page (script/code.ts), or undefined for a page that asks a node
 */
export const scriptWith = (first: string): string =>
  `(() => {\n'use strict';\n${[first, ...PARTS].join('').replace(COMMENT_LINES, '')}})();`;

export const script: string = scriptWith('const inside = undefined;\n');
