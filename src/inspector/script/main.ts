/**
 * The page's start and its routes. Every view has an address, so Back works.
 * @module
 */
export const main: string = String.raw`
/** The views, each with its tab. */
const VIEWS = { chain: 'chain', tx: 'chain', watch: 'chain', state: 'chain', contract: 'contract', accounts: 'accounts', account: 'accounts', dev: 'dev', call: 'call', lost: undefined, ...(inside && { code: 'code' }) };
/** The view of an address that names none. */
const FIRST_VIEW = inside ? 'code' : 'chain';

function route() {
  const [place, query] = location.hash.replace(/^#/, '').split('?');
  const asked = new URLSearchParams(query || '');
  const [, named, ...rest] = place.split('/').map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  const view = named === undefined || named === '' ? FIRST_VIEW : Object.hasOwn(VIEWS, named) ? named : 'lost';
  for (const [name, tab] of Object.entries(VIEWS)) {
    byId(name + '-view').hidden = name !== view;
    if (tab === name) byId(tab + '-tab').setAttribute('aria-current', VIEWS[view] === tab ? 'page' : 'false');
  }
  byId('find-trouble').textContent = '';
  byId('menu').open = false;
  leaveGlance();
  abis.clear();
  const [title, show] = viewOf(view, rest.join('/'), asked);
  document.title = title === '' ? 'movelet' : title + ' · movelet';
  byId('lost-name').textContent = place;
  // The names of methods are unknown until the node has listed them.
  if (methods.length > 0 || !NAMED.includes(view)) show();
}

/** Views that call methods by their names. */
const NAMED = ['code', 'chain', 'tx', 'accounts', 'account', 'contract', 'watch'];

/** The title of a view, and what shows it. */
function viewOf(view, name, asked) {
  const [cursor, filter, params] = ['cursor', 'filter', 'params'].map((key) => (asked.has(key) ? asked.get(key) : undefined));
  switch (view) {
    case 'lost':
      return ['Nothing is here', () => {}];
    case 'chain':
      return ['', showGlance];
    case 'tx':
      return ['Transaction ' + short(name), () => showTransaction(name)];
    case 'accounts':
      return ['Accounts', showAccounts];
    case 'account':
      return [accountName(name) || 'Account ' + short(name), () => showAccount(name)];
    case 'code':
      return ['Playground', showCode];
    case 'dev':
      return ['Controls', showControlsView];
    case 'state':
      return [short('/' + (name || 'object')), () => showState('/' + (name || 'object'), cursor)];
    case 'contract':
      return [name === '' ? 'Contracts' : name.split('::').slice(1).join('::') || 'Contracts of ' + short(name), () => showContract(name)];
    case 'watch':
      return ['Watch', () => (watch === undefined || filter !== undefined) && showWatched(asked.get('what'), filter)];
    default: {
      const first = methods.find((method) => method.name.endsWith('_status')) || methods[0];
      const method = name || (first ? first.name : 'rpc.discover');
      return [method, () => showMethod(method, params)];
    }
  }
}

/** Goes to an address, and refreshes it if it is already shown. */
function goTo(target) {
  if (location.hash === target) route();
  else location.hash = target;
}

/** Skips the navigation, to the current view, without changing the address. */
function skip(event) {
  event.preventDefault();
  [...document.querySelectorAll('main')].find((view) => view.checkVisibility()).focus();
}

const LOOK_KEY = 'movelet.look';

/** Switches between light and dark. */
function changeLook() {
  const isDark = getComputedStyle(document.documentElement).colorScheme === 'dark' ||
    (document.documentElement.dataset.look === undefined && matchMedia('(prefers-color-scheme: dark)').matches);
  showLook(isDark ? 'light' : 'dark');
  keep(LOOK_KEY, document.documentElement.dataset.look);
}

function showLook(look) {
  if (look === 'light' || look === 'dark') document.documentElement.dataset.look = look;
}

function start() {
  showLook(kept(LOOK_KEY));
  byId('skip').addEventListener('click', skip);
  byId('url').value = inside ? nodeUrl() : location.origin + '/';
  onSubmit('node', connect);
  byId('filter').addEventListener('input', showMethods);
  byId('filter').addEventListener('keydown', (event) => {
    const first = byId('methods').querySelector('a');
    if (event.key === 'Enter' && first) first.click();
  });
  // A link to the current address refreshes the view.
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link && link.getAttribute('href') === location.hash) route();
  });
  onSubmit('call', sendShown);
  onCtrlEnter('call', sendShown);
  byId('as-json').addEventListener('change', switchMode);
  byId('params').addEventListener('input', showRequest);
  byId('past-clear').addEventListener('click', () => {
    past = [];
    savePast();
  });
  onSubmit('browse', () => goTo(stateLink('/' + byId('path').value.trim().replace(/^\/+/, ''))));
  byId('look').addEventListener('click', changeLook);
  // On a narrow screen the list of methods is closed.
  byId('method-panel').open = !NARROW.matches;
  startFinder();
  startSender();
  startWatcher();
  startControls();
  window.addEventListener('hashchange', route);
  loadPast();
  if (inside) startCode().then(connect);
  else connect();
}

start();
`;
