/**
 * The script of the web client: plain JavaScript in the files of `script/`, joined into one function scope.
 *
 * It is kept as text because it runs in a page, not here: nothing in it is compiled or imported. Its comments are for
 * readers of these files and are not sent.
 * @module
 */
import { caller } from './script/caller.ts';
import { json } from './script/json.ts';
import { main } from './script/main.ts';
import { node } from './script/node.ts';
import { sender } from './script/sender.ts';
import { state } from './script/state.ts';
import { transaction } from './script/transaction.ts';
import { view } from './script/view.ts';
import { watcher } from './script/watcher.ts';

const PARTS = [json, view, node, caller, state, transaction, sender, watcher, main];

/** Lines that contain only a comment. */
const COMMENT_LINES = /^ *(?:\/\*\*.*|\*(?: .*|\/)?|\/\/ .*)\n/gm;

export const script: string = `(() => {\n'use strict';\n${PARTS.join('').replace(COMMENT_LINES, '')}})();`;
