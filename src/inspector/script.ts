/**
 * The script of the web client: plain JavaScript in the files of `script/`, joined into one function scope.
 *
 * It is kept as text because it runs in a page, not here: nothing in it is compiled or imported. Its comments are for
 * readers of these files and are not sent.
 * @module
 */
import { account } from './script/account.ts';
import { browser } from './script/browser.ts';
import { caller } from './script/caller.ts';
import { change } from './script/change.ts';
import { controls } from './script/controls.ts';
import { feed } from './script/feed.ts';
import { finder } from './script/finder.ts';
import { glance } from './script/glance.ts';
import { json } from './script/json.ts';
import { links } from './script/links.ts';
import { main } from './script/main.ts';
import { moveArgument } from './script/move-argument.ts';
import { node } from './script/node.ts';
import { pages } from './script/pages.ts';
import { past } from './script/past.ts';
import { receipt } from './script/receipt.ts';
import { schema } from './script/schema.ts';
import { sender } from './script/sender.ts';
import { trace } from './script/trace.ts';
import { transaction } from './script/transaction.ts';
import { versions } from './script/versions.ts';
import { view } from './script/view.ts';
import { watcher } from './script/watcher.ts';

const PARTS = [
  json,
  schema,
  view,
  node,
  links,
  past,
  caller,
  browser,
  moveArgument,
  receipt,
  change,
  trace,
  transaction,
  pages,
  versions,
  account,
  finder,
  controls,
  sender,
  feed,
  watcher,
  glance,
  main,
];

/** Lines that contain only a comment. */
const COMMENT_LINES = /^ *(?:\/\*\*.*|\*(?: .*|\/)?|\/\/ .*)\n/gm;

export const script: string = `(() => {\n'use strict';\n${PARTS.join('').replace(COMMENT_LINES, '')}})();`;
