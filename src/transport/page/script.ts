/**
 * The script of the web client: plain JavaScript in the files of `script/`, joined into one function scope.
 *
 * It is kept as text because it runs in a page, not here: nothing is compiled for it and nothing of it is imported.
 * @module
 */
import { browser } from './script/browser.ts';
import { caller } from './script/caller.ts';
import { glance } from './script/glance.ts';
import { json } from './script/json.ts';
import { main } from './script/main.ts';
import { moveArgument } from './script/move-argument.ts';
import { node } from './script/node.ts';
import { past } from './script/past.ts';
import { receipt } from './script/receipt.ts';
import { schema } from './script/schema.ts';
import { sender } from './script/sender.ts';
import { view } from './script/view.ts';
import { watcher } from './script/watcher.ts';

const PARTS = [json, schema, view, node, past, caller, browser, moveArgument, receipt, sender, watcher, glance, main];

export const script: string = `(() => {\n'use strict';\n${PARTS.join('')}})();`;
