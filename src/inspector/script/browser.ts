/**
 * The state browser: access paths, and the objects and fields at them, page by page.
 * @module
 */
export const browser: string = String.raw`
let browsing;

/** Shows what lies at an access path: the states that it names, and the list under it. */
async function showState(path, cursor) {
  if (browsing) browsing.abort();
  const mine = new AbortController();
  browsing = mine;
  byId('path').value = path;
  byId('state-here').replaceChildren(...crumbs(path));
  const panel = byId('state');
  panel.setAttribute('aria-busy', 'true');
  panel.replaceChildren(element('p', { class: 'hint' }, 'Reading ' + path + '…'));
  const [kind, subject, names] = path.replace(/^\/+/, '').split('/');
  const parts = [];
  const add = async (work) => {
    try {
      parts.push(...(await work()));
    } catch (failure) {
      if (failure.name === 'AbortError') throw failure;
      parts.push(failureBox(failure));
    }
  };
  try {
    const isObject = kind === 'object' && subject;
    if ((isObject || names) && cursor === undefined) await add(() => readStates(path, mine.signal));
    const hasFailed = parts.some((part) => part.classList.contains('error'));
    if (isObject && !subject.includes(',') && !hasFailed) {
      await add(() => listStates('/fields/' + subject, cursor, path, mine.signal, 'Fields and child objects'));
    } else if (!names && !isObject) {
      await add(() => listStates(path, cursor, path, mine.signal, titleOf(kind)));
    }
  } catch {
    return;
  }
  if (browsing !== mine) return;
  panel.replaceChildren(...parts);
  panel.removeAttribute('aria-busy');
  say(path + ' is shown.');
}

const TITLES = new Map([['object', 'Objects'], ['resource', 'Resources'], ['module', 'Modules']]);

const titleOf = (kind) => TITLES.get(kind) || 'Fields';

/** The path, each of its shorter forms that also is one a link. */
function crumbs(path) {
  const [kind, ...rest] = path.replace(/^\/+/, '').split('/');
  const links = [element('a', { href: stateLink('/object') }, 'all objects')];
  if (kind !== 'object' && rest.length > 1) links.push(element('a', { href: stateLink('/' + kind + '/' + rest[0]) }, '/' + kind + '/' + short(rest[0])));
  links.push(element('span', { 'aria-current': 'page' }, '/' + [kind, ...rest].map(short).join('/')));
  const steps = links.flatMap((link, index) => (index === 0 ? [link] : [' › ', link]));
  if (kind !== 'resource' || !rest[0]) return steps;
  const balances = callLink(methodNamed('getBalances'), JSON.stringify([rest[0]]));
  return [...steps, ' · ', element('a', { href: balances }, 'balances of this account')];
}

async function readStates(path, signal) {
  const result = await call(methodNamed('getStates'), JSON.stringify([path, { decode: true }]), signal);
  const states = result.kind === 'array' ? result.items : [result];
  return states.flatMap((state) => {
    if (state.kind === 'null') return [element('p', { class: 'hint' }, 'Nothing is stored there.')];
    return textAt(state, 'id') && path.startsWith('/object/') ? objectParts(state) : [card(state, textAt(state, 'id'), true)];
  });
}

const SHARED = 1;
const FROZEN = 2;

/** An object: what it is, its decoded value, all that the node says of it, and who changed it. */
function objectParts(state) {
  const id = textAt(state, 'id');
  const owner = textAt(state, 'owner');
  const flag = Number(textAt(state, 'flag'));
  const decoded = member(state, 'decoded_value');
  const bare = decoded && decoded.kind !== 'null' ? bareValue(decoded) : member(state, 'value');
  const type = shortName(textAt(state, 'object_type') || '');
  const isWrapped = (textAt(decoded, 'type') || '').startsWith('0x2::object::ObjectEntity<');
  return [
    factsList([
      ['Type', element('a', { href: sendLink(type.split('<')[0].split('::').slice(0, 2).join('::')), title: 'the functions of its module' }, short(type))],
      ['Object', [element('code', {}, short(id)), ' ', copyButton('Copy', () => id)]],
      ['Owner', flag & SHARED ? 'shared' : flag & FROZEN ? 'frozen' : owner && element('a', { href: accountLink(owner) }, short(owner))],
      ['Created', momentText(textAt(state, 'created_at'))],
      ['Updated', momentText(textAt(state, 'updated_at'))],
    ]),
    element('div', { class: 'code', id: 'state-value' }, jsonTree((isWrapped && member(bare, 'value')) || bare, linkOf)),
    versionsCard(id),
    wholeAnswer(state),
  ];
}

/** One page of a list. here is the path that the links of the pages stay on. */
async function listStates(path, cursor, here, signal, title) {
  const params = JSON.stringify([path, cursor === undefined ? null : cursor, '20', { decode: true }]);
  const result = await call(methodNamed('listStates'), params, signal);
  const data = member(result, 'data');
  const items = data && data.kind === 'array' ? data.items : [];
  const next = textAt(result, 'next_cursor');
  const parts = [element('h3', {}, title)];
  if (cursor !== undefined) parts.push(element('p', { class: 'hint' }, 'after ', element('code', {}, short(cursor)), ' · ', element('a', { href: stateLink(here) }, 'from the beginning')));
  if (items.length === 0) parts.push(element('p', { class: 'hint' }, cursor === undefined ? 'None.' : 'No more.'));
  parts.push(...items.map((item) => itemCard(item)));
  if (next !== undefined && textAt(result, 'has_next_page') === 'true') {
    parts.push(element('p', {}, element('a', { class: 'button', href: stateLink(here, next) }, 'Next page'), ' ', element('code', { class: 'hint' }, short(next))));
  }
  return parts;
}

/** An item of a list, in either of its two forms. */
function itemCard(item) {
  const state = member(item, 'state') || item;
  const name = textAt(item, 'key_state', 'decoded_key') || textAt(state, 'decoded_value', 'value', 'name');
  const id = textAt(state, 'id') || (OBJECT_ID.test(name || '') ? name : undefined);
  return card(item, id, false, name === id ? undefined : name, textAt(item, 'field_key') || textAt(item, 'key_state', 'key'));
}

/** The account and the name of a module of the path that is shown. */
function moduleOf(listed) {
  const [, kind, owner, only] = byId('path').value.split('/');
  const name = listed || only;
  return kind === 'module' && name && /^\w+$/.test(name) ? { owner, name } : undefined;
}

/** Leads from a module of the path that is shown to the form that calls its functions. */
function functionsLink(listed) {
  const module = moduleOf(listed);
  return module && element('a', { href: sendLink(module.owner + '::' + module.name) }, 'functions');
}

/** What is shown of a state: the code of a module, and all members. */
function stateParts(node, module) {
  const tree = jsonTree(node, linkOf);
  return module ? element('div', {}, codeCard(module), tree) : tree;
}

/** A module's code as text, read when the card is opened. */
function codeCard({ owner, name }) {
  return openingCard({
    title: 'Disassembly',
    facts: [],
    links: [],
    fill: () => {
      const text = element('pre', { class: 'trace', tabindex: '0' }, 'Waiting for the code…');
      call(methodNamed('disassembleModule'), JSON.stringify([owner, name])).then(
        (listing) => { text.textContent = textAt(listing) || 'There is no module ' + name + ' any more.'; },
        (failure) => { text.replaceWith(failureBox(failure)); },
      );
      return text;
    },
  });
}

/** A state: its type and id in a line, all of it on demand. */
function card(node, id, open, name, key) {
  const state = member(node, 'state') || node;
  const stored = textAt(state, 'object_type') || textAt(state, 'value_type') || 'state';
  // A field is an object of its own; what it holds tells more.
  const field = DYNAMIC_FIELD.exec(stored);
  const type = field ? field[2] : stored;
  const label = name === undefined ? undefined : shortName(name);
  const moduleBytes = textAt(state, 'decoded_value', 'value', 'byte_codes') || textAt(state, 'decoded_value', 'value', 'value', 'value', 'byte_codes');
  const facts = [
    label && label !== key && label !== type ? element('span', {}, label.length > 80 ? label.slice(0, 80) + '…' : label) : undefined,
    id || !key ? undefined : element('code', { class: 'hint' }, short(key)),
    moduleBytes ? element('span', { class: 'hint' }, (moduleBytes.length - 2) / 2 + ' bytes of code') : undefined,
    textAt(state, 'size') && textAt(state, 'size') !== '0' ? element('span', { class: 'hint' }, textAt(state, 'size') + (textAt(state, 'size') === '1' ? ' field' : ' fields')) : undefined,
  ].filter(Boolean);
  const moduleName = textAt(state, 'decoded_value', 'value', 'name');
  const links = [
    id ? element('a', { href: objectLink(id) }, short(id)) : undefined,
    moduleBytes ? functionsLink(moduleName) : undefined,
  ];
  const module = moduleBytes ? moduleOf(moduleName) : undefined;
  return openingCard({ open, title: short(type), facts, links, fill: () => stateParts(node, module) });
}
`;
