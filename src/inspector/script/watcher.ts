/**
 * Watching the chain: events or transactions as they are committed.
 *
 * Earlier ones are listed below, page by page. Invariant: the live list is bounded, newest first.
 * @module
 */
export const watcher: string = `
const WATCHED_MAX = 200;

/** What is watched, or undefined: { feed, isEvents, received, pending }. */
let watch;

/** Begins to watch what the form says. */
async function startWatch() {
  stopWatch();
  const mine = { isEvents: byId('watch-kind').value === 'events', received: 0, pending: [] };
  watch = mine;
  byId('watch-list').replaceChildren();
  byId('watch-trouble').replaceChildren();
  byId('watch-past').replaceChildren();
  showWatching();
  try {
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
      note: (text) => showItem(mine, () => element('p', { class: 'hint' }, text)),
      status: watchStatus,
      failed: failWatch,
    } });
  } catch (failure) {
    if (watch === mine) failWatch(failure);
  }
}

/** Lists what the filter let through before the order next. */
function showBefore(mine, filter, next) {
  const by = filter === '"all"' ? '{"tx_order_range":{"from_order":"0","to_order":"' + next + '"}}' : filter;
  const orderOf = (item) => BigInt(mine.isEvents ? textAt(item, 'indexer_event_id', 'tx_order') : readTransaction(item).order);
  const section = pagedSection({
    title: mine.isEvents ? 'Events before' : 'Transactions before',
    method: mine.isEvents ? 'queryEvents' : 'queryTransactions',
    params: (cursor) => '[' + by + ',' + cursor + ',"' + PAGE_ITEMS + '",{"decode":true,"descending":true}]',
    areCards: true,
    keep: (item) => orderOf(item) < next,
    row: (item) => [watchedCard(mine, item, orderOf(item))],
  });
  if (section) byId('watch-past').replaceChildren(section);
}

/** Shows what a link asks for: what is events or transactions. */
function showWatched(what, filter) {
  byId('watch-kind').value = what === 'transactions' ? what : 'events';
  byId('watch-filter').value = filter;
  byId('watch-from').value = '';
  startWatch();
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

/** Ends watching. What was received stays in the list. */
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

function watchedCard({ isEvents }, item, order) {
  if (!isEvents) return transactionCard(item);
  const position = order + '.' + textAt(item, 'indexer_event_id', 'event_index');
  return eventCard(item, element('span', {}, position), element('a', { href: transactionLink(order) }, 'order ' + order));
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
