/**
 * New commits while the page is open: a subscription over a WebSocket, and the list that it fills.
 *
 * Invariants: the next order is always known, so that nothing is missed or repeated when the connection is lost and
 * reopened, or when the node closes a slowly read subscription; live lists are bounded, newest first.
 * @module
 */
export const watcher: string = `
const RETRY_MS_FIRST = 500;
const RETRY_MS_MAX = 15000;

/**
 * Follows the items that match a filter, JSON text, from the order next on. tell has four functions: item(node, order),
 * note(text) for interruptions of the order, status(text), and failed(failure) for the end.
 */
function openFeed({ isEvents, filter, next, tell }) {
  const mine = { isEvents, filter, next, tell, attempts: 0, seen: { order: next - 1n, index: Infinity }, isOpen: true };
  connectFeed(mine);
  return mine;
}

function closeFeed(mine) {
  if (!mine) return;
  mine.isOpen = false;
  clearTimeout(mine.timer);
  // Closing an unopened connection would be reported as a failure; it is closed when it opens.
  if (mine.socket && mine.socket.readyState === WebSocket.OPEN) mine.socket.close();
}

function failFeed(mine, failure) {
  closeFeed(mine);
  mine.tell.failed(failure);
}

/** The part of a status about the chain, in either form of the wire. */
const chainStatus = (status) => member(status, 'chain_status') || member(status, 'rooch_status');

async function headOrder(signal) {
  const status = await call(methodNamed('status'), '[]', signal);
  const order = textAt(chainStatus(status), 'sequencer_info', 'last_order');
  if (order === undefined) throw new Error('The node does not say how far its chain is; name the order to begin with.');
  return BigInt(order);
}

function connectFeed(mine) {
  let socket;
  try {
    socket = inside ? inside.socket() : new WebSocket(nodeUrl().replace(/^http/, 'ws'));
  } catch (failure) {
    failFeed(mine, failure);
    return;
  }
  mine.socket = socket;
  mine.tell.status('Connecting…');
  socket.addEventListener('open', () => {
    if (mine.isOpen) openedFeed(mine);
    else socket.close();
  });
  socket.addEventListener('message', ({ data }) => {
    if (mine.isOpen && mine.socket === socket) takeMessage(mine, parseJson(data));
  });
  socket.addEventListener('close', () => {
    if (mine.isOpen && mine.socket === socket) retryFeed(mine);
  });
}

/** A restarted node may have a shorter chain. */
async function openedFeed(mine) {
  try {
    const head = mine.attempts > 0 ? await headOrder() : undefined;
    if (!mine.isOpen) return;
    if (head !== undefined && head + 1n < mine.next) goBack(mine, head + 1n);
    subscribeFeed(mine);
  } catch {
    // The next attempt reports the failure.
    mine.socket.close();
  }
}

function subscribeFeed(mine) {
  requestId++;
  const method = methodNamed(mine.isEvents ? 'subscribeEvents' : 'subscribeTransactions');
  mine.socket.send(requestText(method, '[' + mine.filter + ',{"from_order":"' + mine.next + '","decode":true}]'));
}

function retryFeed(mine) {
  const milliseconds = Math.min(RETRY_MS_FIRST * 2 ** mine.attempts, RETRY_MS_MAX);
  mine.attempts++;
  mine.tell.status('The connection was lost; trying again in ' + milliseconds / 1000 + ' s, from order ' + mine.next + ' on.');
  mine.timer = setTimeout(() => connectFeed(mine), milliseconds);
}

/** An answer to the subscription, or a notification. */
function takeMessage(mine, message) {
  const params = member(message, 'params');
  if (!params) {
    const error = member(message, 'error');
    if (!error) {
      mine.attempts = 0;
      mine.tell.status('Watching from order ' + mine.next + ' on.');
      return;
    }
    failFeed(mine, errorOf(error, 'The node refused the subscription'));
    return;
  }
  const result = member(params, 'result');
  const reverted = textAt(params, 'reverted', 'next_order');
  const error = member(params, 'error');
  if (result) takeItem(mine, result);
  else if (reverted !== undefined) goBack(mine, BigInt(reverted));
  else if (error) resumeFeed(mine, error);
}

const orderOf = ({ isEvents }, item) => BigInt(isEvents ? placeOfEvent(item)[0] : readTransaction(item).order);

function takeItem(mine, item) {
  const order = orderOf(mine, item);
  const index = mine.isEvents ? Number(placeOfEvent(item)[1]) : 0;
  // After a lost connection, an order comes again from its first event.
  if (order < mine.seen.order || (order === mine.seen.order && index <= mine.seen.index)) return;
  mine.seen = { order, index };
  mine.next = mine.isEvents ? order : order + 1n;
  mine.tell.item(item, order);
}

/** After a revert, orders come again. */
function goBack(mine, order) {
  mine.next = order;
  mine.seen = { order: order - 1n, index: Infinity };
  mine.tell.note('The chain went back: orders from ' + order + ' on come again.', order);
}

/**
 * The node has ended the subscription, for example because it was read too slowly, and names the order to continue from. If
 * that order was partly sent, all of it comes again.
 */
function resumeFeed(mine, error) {
  const from = textAt(error, 'data', 'from_order');
  if (from === undefined) {
    failFeed(mine, errorOf(error, 'The node closed the subscription'));
    return;
  }
  mine.next = BigInt(from);
  mine.tell.note('The node ended the subscription: ' + textAt(error, 'message') + '. This page goes on from order ' + from + '.');
  subscribeFeed(mine);
}

const WATCHED_MAX = 200;

/** The current watch, or undefined: { feed, isEvents, received, pending }. */
let watch;

/** Begins to watch as the form says. */
async function startWatch() {
  stopWatch();
  const mine = { isEvents: byId('watch-kind').value === 'events', received: 0, pending: [], isPaused: false };
  watch = mine;
  byId('watch-list').replaceChildren();
  byId('watch-trouble').replaceChildren();
  byId('watch-past').replaceChildren();
  showWatching('Connecting…');
  try {
    await loadFunded().catch(() => {});
    const filter = filterJson(byId('watch-filter').value.trim(), mine.isEvents ? 'event_type' : 'sender');
    const from = byId('watch-from').value.trim();
    const next = from === '' ? (await headOrder()) + 1n : BigInt(JSON.parse(integerJson(from, 64)));
    if (watch !== mine) return;
    if (from === '') showBefore(mine, filter, next);
    mine.feed = openFeed({ isEvents: mine.isEvents, filter, next, tell: {
      item: (item, order) => {
        showItem(mine, () => watchedCard(mine, item, order));
        mine.received++;
      },
      note: (text) => showItem(mine, () => empty(text)),
      status: watchStatus,
      failed: failWatch,
    } });
  } catch (failure) {
    if (watch === mine) failWatch(failure);
  }
}

/** Lists the matches before the order next. */
function showBefore(mine, filter, next) {
  const by = filter === '"all"' ? '{"tx_order_range":{"from_order":"0","to_order":"' + next + '"}}' : filter;
  const section = pagedSection({
    title: mine.isEvents ? 'Events before' : 'Transactions before',
    method: mine.isEvents ? 'queryEvents' : 'queryTransactions',
    params: (cursor) => '[' + by + ',' + cursor + ',"' + PAGE_ITEMS + '",{"decode":true,"descending":true}]',
    areCards: true,
    filter: (item) => orderOf(mine, item) < next,
    row: (item) => [watchedCard(mine, item, orderOf(mine, item))],
  });
  if (section) byId('watch-past').replaceChildren(section);
}

/** Opens a link to this view: what is events or transactions. */
function showWatched(what, filter) {
  byId('watch-kind').value = what === 'events' ? what : 'transactions';
  byId('watch-filter').value = filter === undefined ? '' : filter;
  byId('watch-from').value = '';
  startWatch();
}

/** The filter as JSON text; other text is the value of the usual filter, named word. */
function filterJson(text, word) {
  if (text === '' || text === 'all') return '"all"';
  if (!/^[[{"]/.test(text)) return JSON.stringify({ [word]: text });
  try {
    return writeJson(parseJson(text));
  } catch (failure) {
    throw new Error('The filter is no JSON: ' + failure.message);
  }
}

/** Ends watching; the list stays. */
function stopWatch(text) {
  if (!watch) return;
  const { feed } = watch;
  watch = undefined;
  closeFeed(feed);
  showWatching(text || 'Stopped.');
}

function failWatch(failure) {
  stopWatch('Not watching.');
  byId('watch-trouble').replaceChildren(failureBox(failure));
}

/** Pauses or resumes the list. */
function pauseWatch() {
  if (!watch) return;
  watch.isPaused = !watch.isPaused;
  byId('watch-pause').textContent = watch.isPaused ? 'Go on' : 'Pause';
  if (!watch.isPaused) drawItems(watch);
}

/** Queues an element that make() returns; a burst is drawn once per frame, and invisible elements are never made. */
function showItem(mine, make) {
  if (mine.pending.length === 0 || mine.isPaused) requestAnimationFrame(() => drawItems(mine));
  mine.pending.push(make);
  if (mine.pending.length > WATCHED_MAX) mine.pending.shift();
}

function drawItems(mine) {
  if (mine.isPaused) return;
  const list = byId('watch-list');
  const made = mine.pending.splice(0).map((make) => element('li', {}, make()));
  if (watch !== mine && made.length === 0) return;
  list.prepend(...made.reverse());
  while (list.childElementCount > WATCHED_MAX) list.lastElementChild.remove();
  byId('watch-count').textContent = mine.received + ' received' + (mine.received > WATCHED_MAX ? '; the newest ' + WATCHED_MAX + ' are shown' : '');
}

function watchedCard({ isEvents }, item, order) {
  if (!isEvents) return transactionCard(item);
  const position = order + '.' + textAt(item, 'indexer_event_id', 'event_index');
  return eventCard(item, element('span', {}, position), element('a', { href: transactionLink(order) }, 'order ' + order));
}

function watchStatus(text) {
  byId('watch-status').textContent = text;
}

/** Sets the buttons. */
function showWatching(text) {
  byId('watch-start').textContent = watch ? 'Start again' : 'Start';
  for (const id of ['watch-stop', 'watch-pause']) byId(id).disabled = watch === undefined;
  byId('watch-pause').textContent = 'Pause';
  if (text) watchStatus(text);
}

function startWatcher() {
  onSubmit('watch', startWatch);
  byId('watch-stop').addEventListener('click', () => stopWatch());
  byId('watch-pause').addEventListener('click', pauseWatch);
}
`;
