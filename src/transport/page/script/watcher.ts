/**
 * Watching the chain: events or transactions as they are committed, over a WebSocket.
 *
 * Invariants: what is shown is bounded, newest first. The order that comes next is known at all times, so that nothing is
 * missed or shown twice when the connection is lost and made anew, or when the node closes a subscription that is not read
 * fast enough.
 * @module
 */
export const watcher: string = `
const WATCHED_MAX = 200;
const RETRY_MS_FIRST = 500;
const RETRY_MS_MAX = 15000;

/** What is watched, or undefined. */
let watch;

/** Begins to watch what the form says. */
async function startWatch() {
  stopWatch();
  const mine = { isEvents: byId('watch-kind').value === 'events', received: 0, pending: [], attempts: 0, seen: { order: -1n, index: -1 } };
  watch = mine;
  byId('watch-list').replaceChildren();
  byId('watch-trouble').replaceChildren();
  showWatching();
  try {
    mine.filter = filterJson(byId('watch-filter').value.trim(), mine.isEvents ? 'event_type' : 'sender');
    const from = byId('watch-from').value.trim();
    if (from !== '') mine.next = BigInt(JSON.parse(integerJson(from, 64)));
    else mine.next = (await headOrder()) + 1n;
    if (watch === mine) connectWatch(mine);
  } catch (failure) {
    if (watch === mine) failWatch(failure);
  }
}

/** The filter as JSON text; text that is none stands for the usual filter, whose name is word. */
function filterJson(text, word) {
  if (text === '' || text === 'all') return '"all"';
  if (!/^[[{"]/.test(text)) return JSON.stringify({ [word]: text });
  try {
    return writeJson(parseJson(text));
  } catch (failure) {
    throw new Error('The filter is no JSON: ' + failure.message);
  }
}

async function headOrder() {
  const status = await call(methodNamed('status'), '[]');
  const order = textAt(status, 'chain_status', 'sequencer_info', 'last_order') || textAt(status, 'rooch_status', 'sequencer_info', 'last_order');
  if (order === undefined) throw new Error('The node does not say how far its chain is; name the order to begin with.');
  return BigInt(order);
}

/** Ends watching. What was received stays in the list. */
function stopWatch(text) {
  if (!watch) return;
  const { socket, timer } = watch;
  watch = undefined;
  clearTimeout(timer);
  if (socket) socket.close();
  showWatching(text || 'Stopped.');
}

function failWatch(failure) {
  stopWatch('Not watching.');
  byId('watch-trouble').replaceChildren(failureBox(failure));
}

function connectWatch(mine) {
  let socket;
  try {
    socket = new WebSocket(nodeUrl().replace(/^http/, 'ws'));
  } catch (failure) {
    failWatch(failure);
    return;
  }
  mine.socket = socket;
  watchStatus('Connecting…');
  socket.addEventListener('open', () => openedWatch(mine));
  socket.addEventListener('message', ({ data }) => {
    if (watch === mine && mine.socket === socket) takeMessage(mine, parseJson(data));
  });
  socket.addEventListener('close', () => {
    if (watch === mine && mine.socket === socket) retryWatch(mine);
  });
}

/** A node that was started anew may have a chain that is not as far. */
async function openedWatch(mine) {
  try {
    const head = mine.attempts > 0 ? await headOrder() : undefined;
    if (watch !== mine) return;
    if (head !== undefined && head + 1n < mine.next) goBack(mine, head + 1n);
    subscribeWatch(mine);
  } catch {
    // The next attempt says what is wrong.
    mine.socket.close();
  }
}

function subscribeWatch(mine) {
  requestId++;
  const method = methodNamed(mine.isEvents ? 'subscribeEvents' : 'subscribeTransactions');
  mine.socket.send(requestText(method, '[' + mine.filter + ',{"from_order":"' + mine.next + '","decode":true}]'));
}

function retryWatch(mine) {
  const milliseconds = Math.min(RETRY_MS_FIRST * 2 ** mine.attempts, RETRY_MS_MAX);
  mine.attempts++;
  watchStatus('The connection was lost; trying again in ' + milliseconds / 1000 + ' s, from order ' + mine.next + ' on.');
  mine.timer = setTimeout(() => connectWatch(mine), milliseconds);
}

/** An answer to the subscription, or what it tells. */
function takeMessage(mine, message) {
  const params = member(message, 'params');
  if (!params) {
    const error = member(message, 'error');
    if (!error) {
      mine.attempts = 0;
      watchStatus('Watching from order ' + mine.next + ' on.');
      return;
    }
    const failure = new Error(textAt(error, 'message') || 'The node refused the subscription');
    failure.node = error;
    failWatch(failure);
    return;
  }
  const result = member(params, 'result');
  const reverted = textAt(params, 'reverted', 'next_order');
  const error = member(params, 'error');
  if (result) takeItem(mine, result);
  else if (reverted !== undefined) goBack(mine, BigInt(reverted));
  else if (error) resumeWatch(mine, error);
}

function takeItem(mine, item) {
  const order = BigInt(mine.isEvents ? textAt(item, 'indexer_event_id', 'tx_order') : textAt(item, 'sequence_info', 'tx_order'));
  const index = mine.isEvents ? Number(textAt(item, 'indexer_event_id', 'event_index')) : 0;
  // An order whose events were cut off by a lost connection is sent from its first event again.
  if (order < mine.seen.order || (order === mine.seen.order && index <= mine.seen.index)) return;
  mine.seen = { order, index };
  mine.next = mine.isEvents ? order : order + 1n;
  showItem(mine, () => (mine.isEvents ? watchedEvent(item, order) : watchedTransaction(item, order)));
  mine.received++;
}

/** After a snapshot was taken back, orders come again. */
function goBack(mine, order) {
  mine.next = order;
  mine.seen = { order: order - 1n, index: Infinity };
  showItem(mine, () => element('p', { class: 'hint' }, 'The chain went back: orders from ' + order + ' on come again.'));
}

/** The node has closed the subscription of a reader that was too slow, and names the order to go on from. */
function resumeWatch(mine, error) {
  const from = textAt(error, 'data', 'from_order');
  if (from === undefined) {
    const failure = new Error(textAt(error, 'message') || 'The node closed the subscription');
    failure.node = error;
    failWatch(failure);
    return;
  }
  mine.next = BigInt(from);
  mine.seen = { order: mine.next - 1n, index: Infinity };
  showItem(mine, () => element('p', { class: 'hint' }, 'This page lagged behind: ' + textAt(error, 'message') + '. It goes on from order ' + from + '.'));
  subscribeWatch(mine);
}

/** Queues what make makes; a burst is drawn once a frame, and what would not be seen is never made. */
function showItem(mine, make) {
  if (mine.pending.length === 0) requestAnimationFrame(() => drawItems(mine));
  mine.pending.push(make);
  if (mine.pending.length > WATCHED_MAX) mine.pending.shift();
}

function drawItems(mine) {
  const list = byId('watch-list');
  const made = mine.pending.splice(0).map((make) => element('li', {}, make()));
  if (watch !== mine && made.length === 0) return;
  list.prepend(...made.reverse());
  while (list.childElementCount > WATCHED_MAX) list.lastElementChild.remove();
  byId('watch-count').textContent = mine.received + ' received' + (mine.received > WATCHED_MAX ? '; the newest ' + WATCHED_MAX + ' are shown' : '');
}

function watchedEvent(item, order) {
  const position = order + '.' + textAt(item, 'indexer_event_id', 'event_index');
  return eventCard(item, element('span', {}, position));
}

function watchedTransaction(item, order) {
  const hash = textAt(item, 'execution_info', 'tx_hash');
  const target = hash && linkOf('tx_hash', hash);
  const data = member(item, 'transaction');
  const called = textAt(data, 'action', 'function_call', 'function_id');
  const title = called ? called.replace(/^(?:0x)?0*([0-9a-f]+::)/, '0x$1') : textAt(data, 'action_type') || textAt(data, 'type') || 'transaction';
  return lazyCard(item, title,
    element('span', {}, 'order ' + order),
    element('span', {}, statusText(member(member(item, 'execution_info'), 'status'))),
    target ? element('a', { href: target }, short(hash)) : undefined);
}

function watchStatus(text) {
  byId('watch-status').textContent = text;
}

/** The buttons, by whether something is watched. */
function showWatching(text) {
  byId('watch-start').textContent = watch ? 'Start again' : 'Start';
  byId('watch-stop').disabled = watch === undefined;
  if (text) watchStatus(text);
}

function startWatcher() {
  byId('watch').addEventListener('submit', (event) => {
    event.preventDefault();
    startWatch();
  });
  byId('watch-stop').addEventListener('click', () => stopWatch());
}
`;
