/**
 * Following the chain: events or transactions as they are committed, over a WebSocket.
 *
 * Invariant: the next order is always known, so that nothing is missed or reported twice when the connection is lost
 * and reopened, or when the node closes a subscription that is not read fast enough.
 * @module
 */
export const feed: string = `
const RETRY_MS_FIRST = 500;
const RETRY_MS_MAX = 15000;

/**
 * Follows what a filter, JSON text, lets through from the order next on. tell has four functions: item(node, order),
 * note(text) for what interrupts the orders, status(text), and failed(failure) where it cannot go on.
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
  // A browser takes the closing of a connection that is not made yet for a failure; such a one is closed as soon as it opens.
  if (mine.socket && mine.socket.readyState === WebSocket.OPEN) mine.socket.close();
}

function failFeed(mine, failure) {
  closeFeed(mine);
  mine.tell.failed(failure);
}

async function headOrder() {
  const status = await call(methodNamed('status'), '[]');
  const order = textAt(status, 'chain_status', 'sequencer_info', 'last_order') || textAt(status, 'rooch_status', 'sequencer_info', 'last_order');
  if (order === undefined) throw new Error('The node does not say how far its chain is; name the order to begin with.');
  return BigInt(order);
}

function connectFeed(mine) {
  let socket;
  try {
    socket = new WebSocket(nodeUrl().replace(/^http/, 'ws'));
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

/** A node that was started anew may have a chain that is not as far. */
async function openedFeed(mine) {
  try {
    const head = mine.attempts > 0 ? await headOrder() : undefined;
    if (!mine.isOpen) return;
    if (head !== undefined && head + 1n < mine.next) goBack(mine, head + 1n);
    subscribeFeed(mine);
  } catch {
    // The next attempt says what is wrong.
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

/** An answer to the subscription, or what it tells. */
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

function takeItem(mine, item) {
  const order = BigInt(mine.isEvents ? textAt(item, 'indexer_event_id', 'tx_order') : readTransaction(item).order);
  const index = mine.isEvents ? Number(textAt(item, 'indexer_event_id', 'event_index')) : 0;
  // An order whose events were cut off by a lost connection is sent from its first event again.
  if (order < mine.seen.order || (order === mine.seen.order && index <= mine.seen.index)) return;
  mine.seen = { order, index };
  mine.next = mine.isEvents ? order : order + 1n;
  mine.tell.item(item, order);
}

/** After a snapshot was taken back, orders come again. */
function goBack(mine, order) {
  mine.next = order;
  mine.seen = { order: order - 1n, index: Infinity };
  mine.tell.note('The chain went back: orders from ' + order + ' on come again.', order);
}

/**
 * The node has ended the subscription, for example of a reader that was too slow, and names the order to go on from. If
 * that is in the middle of an order, what has been seen of it comes again.
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
`;
