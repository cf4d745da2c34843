/**
 * The parts of all views: elements, links, and lists that are read page by page. Text from a node is always inserted as
 * text; nothing here takes HTML.
 * @module
 */
export const view: string = `
const byId = (id) => document.getElementById(id);

/** Calls act(event) when a form is sent. */
function onSubmit(id, act) {
  byId(id).addEventListener('submit', (event) => {
    event.preventDefault();
    act(event);
  });
}

/** Calls act() on Ctrl+Enter or Cmd+Enter. */
function onCtrlEnter(id, act) {
  byId(id).addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) act();
  });
}

/** A value kept in the browser, or null. Storage may be disabled or full: then nothing outlives the page. */
function kept(key) {
  try {
    return localStorage.getItem(key);
  } catch {
    return null;
  }
}

function keep(key, value) {
  try {
    localStorage.setItem(key, value);
  } catch {
    // See kept.
  }
}

/** Calls fill(body) when details are first opened. */
function onOpened(details, body, fill) {
  const show = () => {
    if (details.open && !body.hasChildNodes()) fill(body);
  };
  details.addEventListener('toggle', show);
  show();
  return details;
}

/** An element with attributes, listeners (names that begin with "on") and children. */
function element(tag, attributes, ...children) {
  const made = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes || {})) {
    if (value === undefined || value === false) continue;
    if (name.startsWith('on')) made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? '' : value);
  }
  made.append(...children.flat().filter((child) => child !== undefined));
  return made;
}

/**
 * A table; on a narrow screen, each row is a block with the names of the columns. Cells are elements, lists of them, or text;
 * the first cell of each row is its heading.
 */
function table(heads, rows, { label, ...attributes } = {}) {
  const cell = (content, index) => element(index === 0 ? 'th' : 'td', { scope: index === 0 ? 'row' : undefined, 'data-head': heads[index] }, element('div', {}, content));
  return element('table', { ...attributes, 'aria-label': label, role: 'table' },
    element('thead', { role: 'rowgroup' }, element('tr', { role: 'row' }, heads.map((head) =>
      (head === '' ? element('td', { role: 'cell' }) : element('th', { scope: 'col', role: 'columnheader' }, head))))),
    element('tbody', { role: 'rowgroup' }, rows.map((cells) => {
      const row = element('tr', { role: 'row' }, cells.map(cell));
      // Without roles, blocks would be no table for a screen reader.
      [...row.children].forEach((each, index) => each.setAttribute('role', index === 0 ? 'rowheader' : 'cell'));
      return row;
    })));
}

/** A part of a page: a heading, a hint, and contents. */
const panel = (title, hint, ...contents) =>
  element('section', { class: 'panel' }, element('h3', {}, title, ...(hint ? [' ', element('span', { class: 'hint' }, hint)] : [])), ...contents);

/** The text in place of missing content, and how to get some. */
const empty = (...sentence) => element('p', { class: 'empty' }, ...sentence);

const ITEMS_SHOWN = 100;
const TEXT_SHOWN = 400;
const ROWS_OPEN = 300;

/**
 * A JSON node as a tree that opens and closes. The first rows are open; others are built when they are first opened, so a
 * large answer appears immediately. link(key, text) may return the target of a string.
 */
function jsonTree(node, link) {
  return jsonPart(node, { link, rows: ROWS_OPEN }, undefined, '');
}

function jsonPart(node, tree, key, comma) {
  if (node.kind === 'object' || node.kind === 'array') return jsonBranch(node, tree, key, comma);
  return element('span', {}, jsonLeaf(node, tree, key), comma);
}

function jsonLeaf(node, tree, key) {
  if (node.kind !== 'string') {
    const target = node.kind === 'number' && tree.link ? tree.link(key, node.text) : undefined;
    return element(target ? 'a' : 'span', { class: 'json-' + (node.kind === 'number' ? 'number' : 'word'), href: target }, node.text);
  }
  const shown = JSON.stringify(node.value);
  const target = tree.link ? tree.link(key, node.value) : undefined;
  if (target) return element('a', { class: 'json-string', href: target }, shown);
  return longText(shown);
}

function longText(text) {
  if (text.length <= TEXT_SHOWN) return element('span', { class: 'json-string' }, text);
  const span = element('span', { class: 'json-string' }, text.slice(0, TEXT_SHOWN));
  const more = element('button', {
    type: 'button',
    class: 'quiet',
    onclick: () => {
      span.textContent = text;
      more.remove();
    },
  }, '... ' + (text.length - TEXT_SHOWN) + ' more characters');
  return element('span', {}, span, more);
}

function jsonBranch(node, tree, key, comma) {
  const isArray = node.kind === 'array';
  const [begin, end] = isArray ? '[]' : '{}';
  const parts = isArray ? node.items.map((item) => [undefined, item]) : node.members;
  if (parts.length === 0) return element('span', {}, begin + end + comma);
  const count = parts.length + (isArray ? (parts.length === 1 ? ' item' : ' items') : parts.length === 1 ? ' member' : ' members');
  const body = element('div', { class: 'json-body' });
  const row = ([name, value], index) => {
    const label = name === undefined ? [] : [element('span', { class: 'json-key' }, JSON.stringify(name)), ': '];
    const part = jsonPart(value, tree, name === undefined ? key : name, index + 1 < parts.length ? ',' : '');
    return element('div', {}, ...label, part);
  };
  const open = parts.length <= Math.min(tree.rows, ITEMS_SHOWN);
  if (open) tree.rows -= parts.length;
  const details = element('details', { class: 'json', open },
    element('summary', {}, begin, element('span', { class: 'json-closed' }, element('span', { class: 'hint' }, ' ' + count + ' '), end + comma)),
    body, end + comma);
  return onOpened(details, body, () => showInParts(body, parts, row));
}

/** A button that copies a text and confirms it. about describes it, if the label alone does not. */
function copyButton(label, text, about) {
  const button = element('button', { type: 'button', 'aria-label': about }, label);
  button.addEventListener('click', async () => {
    const copied = await copyText(text());
    button.textContent = copied ? 'Copied' : 'Copying is not allowed here';
    say(button.textContent);
    setTimeout(() => (button.textContent = label), 1500);
  });
  return button;
}

async function copyText(text) {
  try {
    await navigator.clipboard.writeText(text);
    return true;
  } catch {
    // No permission, or a page that is not on a secure origin.
    const area = element('textarea', { class: 'offscreen', 'aria-hidden': 'true' });
    area.value = text;
    document.body.append(area);
    area.select();
    const copied = document.execCommand('copy');
    area.remove();
    return copied;
  }
}

const NARROW = window.matchMedia('(max-width: 52rem)');
/** Visible pixels of an answer from which on the page does not scroll. */
const ANSWER_SEEN_MIN = 120;

/** Scrolls to an answer that begins below the visible part of the page. */
function reveal(id) {
  if (byId(id).getBoundingClientRect().top < innerHeight - ANSWER_SEEN_MIN) return;
  byId(id).focus({ preventScroll: true });
  byId(id).scrollIntoView({ block: 'start' });
}

/**
 * A card: a line that opens to more, and links beside it, since a summary cannot hold links. fill() returns the content, or
 * a promise of it, when the card is first opened. isPlain: the content is not code.
 */
function openingCard({ open, title, facts = [], links = [], isPlain, fill }) {
  const body = element('div', { class: isPlain ? 'inside' : 'code' });
  const details = element('details', { open }, element('summary', {}, element('span', { class: 'type' }, title), ...facts), body);
  onOpened(details, body, () => fillWith(body, fill()));
  const beside = links.filter(Boolean);
  return element('div', { class: 'card' }, details, beside.length > 0 ? element('div', { class: 'links' }, ...beside) : undefined);
}

/** Puts a node, nodes, or a promise of them into an element; a failure is shown instead. */
async function fillWith(place, given) {
  const put = (made) => place.replaceChildren(...[made].flat(2).filter(Boolean));
  if (!(given instanceof Promise)) {
    put(given);
    return;
  }
  put(waiting());
  place.setAttribute('aria-busy', 'true');
  try {
    put(await given);
  } catch (failure) {
    put(failureBox(failure));
  }
  place.removeAttribute('aria-busy');
}

const waiting = () => element('p', { class: 'hint' }, 'Waiting for the answer…');

const fillings = new Map();

/**
 * Fills a panel with the elements that work(signal) promises, unless another call fills it meanwhile. Until then the old
 * content stays, unless isOther: it belongs to something else. Promises whether it was filled.
 */
async function fillPanel(id, work, isOther) {
  const before = fillings.get(id);
  if (before) before.abort();
  const mine = new AbortController();
  fillings.set(id, mine);
  const panel = byId(id);
  panel.setAttribute('aria-busy', 'true');
  if (isOther) panel.replaceChildren(waiting());
  let parts;
  try {
    parts = await work(mine.signal);
  } catch (failure) {
    parts = [failureBox(failure)];
  }
  if (fillings.get(id) !== mine) return false;
  panel.replaceChildren(...parts.flat().filter(Boolean));
  panel.removeAttribute('aria-busy');
  return true;
}

/** Empties a panel and aborts its filling. */
function clearPanel(id) {
  const before = fillings.get(id);
  if (before) before.abort();
  fillings.delete(id);
  byId(id).replaceChildren();
  byId(id).removeAttribute('aria-busy');
}

/** A list of names and values, without those that have no value. */
function factsList(facts, attributes = { class: 'facts-list' }) {
  const known = facts.filter(([, value]) => value !== undefined && value !== '');
  return element('dl', attributes, ...known.flatMap(([name, value]) => [
    element('dt', {}, name), element('dd', {}, ...(Array.isArray(value) ? value : [value]))]));
}

/** An element for each item, made by make(item, index), some at a time. */
const shownInParts = (items, make) => showInParts(element('div', {}), items, make);

function showInParts(place, items, make) {
  const more = element('button', { type: 'button', class: 'quiet', onclick: () => showMore() });
  let shown = 0;
  const showMore = () => {
    more.remove();
    place.append(...items.slice(shown, shown + ITEMS_SHOWN).map((item, at) => make(item, shown + at)));
    shown = Math.min(items.length, shown + ITEMS_SHOWN);
    if (shown === items.length) return;
    more.textContent = 'Show more (' + (items.length - shown) + ' left)';
    place.append(more);
  };
  showMore();
  return place;
}

/** Tells a screen reader. */
function say(text) {
  byId('said').textContent = text;
}

/** A failure with its facts: a JSON-RPC error, or one of the network. */
function errorBox(title, facts) {
  return element('div', { class: 'error', role: 'alert' }, element('strong', {}, marked(title)), factsList(facts, {}));
}

const OBJECT_ID = /^0x(?:[0-9a-f]{64})+$/;
const ADDRESS_KEYS = new Set(['owner', 'sender', 'address', 'addr', 'account', 'module_address']);
const FUNCTION_KEYS = new Set(['function_id', 'location', 'module']);
/** Members that hold 32 bytes of hex and name no object. */
const NOT_AN_OBJECT = /(?:_root|roots|_hash|hash|txid|payload|raw|key|data|value|args|body|cursor)$/;

const callLink = (method, params) =>
  '#/call/' + encodeURIComponent(method) + (params === undefined ? '' : '?params=' + encodeURIComponent(params));
const stateLink = (path, cursor) =>
  '#/state' + path.split('/').map(encodeURIComponent).join('/').replaceAll('%3A', ':').replaceAll('%2C', ',') +
  (cursor === undefined ? '' : '?cursor=' + encodeURIComponent(cursor));
const objectLink = (id) => stateLink('/object/' + id);
/** name is a hash or an order. */
const transactionLink = (name) => '#/tx/' + name;
const accountLink = (address) => '#/account/' + address;
/** name is an address, a module or a function. */
const contractLink = (name) => '#/contract/' + name;
/** what is events or transactions, filter what the form of that view takes. */
const watchLink = (what, filter) => '#/watch?what=' + what + '&filter=' + encodeURIComponent(filter);

/** The link target of a string of an answer, if any. */
function linkOf(key, text) {
  if (/bitcoin_address$/.test(key || '')) return accountLink(text);
  if (key === 'tx_order') return transactionLink(text);
  if (key === 'event_type') return watchLink('events', text);
  if (FUNCTION_KEYS.has(key)) return text.includes('::') ? contractLink(shortName(text)) : undefined;
  if (!OBJECT_ID.test(text)) return undefined;
  if (/(?:^|_)tx_hash$/.test(key || '')) return transactionLink(text);
  if (ADDRESS_KEYS.has(key)) return accountLink(text);
  return key && NOT_AN_OBJECT.test(key) ? undefined : objectLink(text);
}

/** Long hex without its middle. */
function short(text) {
  return text.replace(/0x([0-9a-f]{8})[0-9a-f]{20,}([0-9a-f]{6})(?![0-9a-f])/g, '0x$1…$2');
}

/** The name of a module, a function or a type with short addresses; one form of the wire has no 0x. */
function shortName(text) {
  return text.replace(/^(?=[0-9a-f]{64}::)/, '0x').replace(/0x0+(?=[0-9a-f]+::)/g, '0x');
}

/** A link, or code if there is no target. */
const linkTo = (target, text) => (target ? element('a', { href: target }, text) : element('code', {}, text));

const isOffered = (name) => methods.some((method) => method.name === name);

/** The full name of a method in the first namespace in which the node has it. */
function methodNamed(word) {
  const found = methods.map((method) => method.name).filter((name) => name.endsWith('_' + word));
  return found.find((name) => name.startsWith('chain_')) || found[0] || 'chain_' + word;
}

const PAGE_ITEMS = '10';

/** The parameters of a paged query as a function of the cursor: a filter, the cursor, the page size, options. */
const pageParams = (filter, options) => (cursor) =>
  '[' + JSON.stringify(filter) + ',' + cursor + ',"' + PAGE_ITEMS + '"' + (options === undefined ? '' : ',' + JSON.stringify(options)) + ']';
const NEWEST = { decode: true, descending: true };

/**
 * A part of a page with a list and a button for its next page. params(cursor) returns the JSON text of the parameters, row(item)
 * the elements of an item, or make(items) the element of a whole page. areCards: each item is one card; filter(item) tells
 * whether an item is shown; none is the text for an empty list. Undefined if the node lacks the method.
 */
function pagedSection({ title, hint, method, params, row, make, areCards, filter = () => true, none = 'None.' }) {
  const name = methodNamed(method);
  if (!isOffered(name)) return undefined;
  const list = make ? element('div', { tabindex: '-1' }) : element('ol', { class: areCards ? 'cards' : 'rows', 'aria-label': title, tabindex: '-1' });
  const end = element('div', {}, waiting());
  const more = element('button', { type: 'button', onclick: () => read(list.childElementCount) }, 'More');
  let cursor = 'null';
  const read = async (count) => {
    end.setAttribute('aria-busy', 'true');
    try {
      const page = await call(name, params(cursor));
      const items = itemsOf(member(page, 'data')).filter(filter);
      if (make && items.length > 0) list.append(await make(items));
      else if (!make) list.append(...items.map((item) => element('li', {}, ...row(item).filter(Boolean))));
      cursor = writeJson(member(page, 'next_cursor'));
      const hasMore = textAt(page, 'has_next_page') === 'true';
      end.replaceChildren(...(hasMore ? [more] : list.hasChildNodes() ? [] : [empty(none)]));
      // The keyboard focus goes to the first of the new items.
      if (count > 0 && list.children[count]) (list.children[count].querySelector('a, summary') || list).focus();
    } catch (failure) {
      end.replaceChildren(failureBox(failure));
    }
    end.removeAttribute('aria-busy');
  };
  read(0);
  return panel(title, hint, list, end);
}
`;
