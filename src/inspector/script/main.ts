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
  if (shownView === 'chain') {
    document.title = 'movelet';
    // Before the node has listed its methods nobody knows what they are called.
    if (methods.length > 0) showGlance();
    return;
  }
  if (shownView === 'tx') {
    document.title = 'Transaction ' + short(rest.join('/')) + ' · movelet';
    if (methods.length > 0) showTransaction(rest.join('/'));
    return;
  }
  if (shownView === 'account') {
    document.title = 'Account ' + short(rest.join('/')) + ' · movelet';
    if (methods.length > 0) showAccount(rest.join('/'));
    return;
  }
  if (shownView === 'dev') {
    document.title = 'Controls · movelet';
    showControlsView();
    return;
  }
  if (shownView === 'state') {
    const cursor = asked.get('cursor');
    const path = '/' + (rest.join('/') || 'object');
    document.title = short(path) + ' · movelet';
    showState(path, cursor === null ? undefined : cursor);
    return;
  }
  if (shownView === 'send') {
    document.title = 'Send · movelet';
    showSender(rest.join('/'));
    return;
  }
  if (shownView === 'watch') {
    document.title = 'Watch · movelet';
    const filter = asked.get('filter');
    if (filter !== null && methods.length > 0) showWatched(asked.get('what'), filter);
    return;
  }
  const params = asked.get('params');
  const first = methods.find(({ name }) => name.endsWith('_status')) || methods[0];
  const method = rest.join('/') || (first ? first.name : 'rpc.discover');
  document.title = method + ' · movelet';
  showMethod(method, params === null ? undefined : params);
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
    if (location.hash === target) route();
    else location.hash = target;
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
