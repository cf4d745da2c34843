/**
 * What the page does when it is opened and when its address changes. Every view is an address, so Back works.
 * @module
 */
export const main: string = String.raw`
const VIEWS = ['chain', 'tx', 'account', 'call', 'send', 'watch', 'state', 'dev'];

function route() {
  const [place, query] = location.hash.replace(/^#/, '').split('?');
  const asked = new URLSearchParams(query || '');
  const [, view, ...rest] = place.split('/').map((part) => {
    try {
      return decodeURIComponent(part);
    } catch {
      return part;
    }
  });
  const shownView = VIEWS.includes(view) ? view : 'chain';
  for (const name of VIEWS) {
    byId(name + '-view').hidden = name !== shownView;
    const tab = byId(name + '-tab');
    if (tab) tab.setAttribute('aria-current', name === shownView ? 'page' : 'false');
  }
  leaveGlance();
  const [title, show] = viewOf(shownView, rest.join('/'), asked);
  document.title = title === '' ? 'movelet' : title + ' · movelet';
  // Before the node has listed its methods nobody knows what they are called.
  if (methods.length > 0 || !NAMED.includes(shownView)) show();
}

/** Views that call methods by their names. */
const NAMED = ['chain', 'tx', 'account', 'watch'];

/** The title of a view, and what shows it. */
function viewOf(view, name, asked) {
  const [cursor, filter, params] = ['cursor', 'filter', 'params'].map((key) => (asked.has(key) ? asked.get(key) : undefined));
  switch (view) {
    case 'chain':
      return ['', showGlance];
    case 'tx':
      return ['Transaction ' + short(name), () => showTransaction(name)];
    case 'account':
      return ['Account ' + short(name), () => showAccount(name)];
    case 'dev':
      return ['Controls', showControlsView];
    case 'state':
      return [short('/' + (name || 'object')), () => showState('/' + (name || 'object'), cursor)];
    case 'send':
      return ['Send', () => showSender(name)];
    case 'watch':
      return ['Watch', () => filter !== undefined && showWatched(asked.get('what'), filter)];
    default: {
      const first = methods.find((method) => method.name.endsWith('_status')) || methods[0];
      const method = name || (first ? first.name : 'rpc.discover');
      return [method, () => showMethod(method, params)];
    }
  }
}

/** Shows an address, anew if it is shown already. */
function goTo(target) {
  if (location.hash === target) route();
  else location.hash = target;
}

/** Past the navigation, to the view that is shown. Its address stays. */
function skip(event) {
  event.preventDefault();
  [...document.querySelectorAll('main')].find((view) => view.checkVisibility()).focus();
}

function start() {
  byId('skip').addEventListener('click', skip);
  byId('url').value = location.origin + '/';
  byId('node').addEventListener('submit', (event) => {
    event.preventDefault();
    connect();
  });
  byId('filter').addEventListener('input', showMethods);
  byId('filter').addEventListener('keydown', (event) => {
    const first = byId('methods').querySelector('a');
    if (event.key === 'Enter' && first) first.click();
  });
  // A link to the address that is shown changes nothing, yet who follows it wants to see it anew.
  document.addEventListener('click', (event) => {
    const link = event.target.closest('a[href^="#"]');
    if (link && link.getAttribute('href') === location.hash) route();
  });
  byId('call').addEventListener('submit', (event) => {
    event.preventDefault();
    sendShown();
  });
  byId('call').addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) sendShown();
  });
  byId('as-json').addEventListener('change', switchMode);
  byId('params').addEventListener('input', showRequest);
  byId('past-clear').addEventListener('click', () => {
    past = [];
    savePast();
  });
  byId('browse').addEventListener('submit', (event) => {
    event.preventDefault();
    const target = stateLink('/' + byId('path').value.trim().replace(/^\/+/, ''));
    goTo(target);
  });
  startFinder();
  startSender();
  startWatcher();
  startControls();
  window.addEventListener('hashchange', route);
  loadPast();
  connect();
}

start();
`;
