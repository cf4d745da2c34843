/**
 * The requests sent so far, kept in the browser if it allows that.
 * @module
 */
export const past: string = `
const PAST_KEY = 'movelet.past';
const PAST_ITEMS_MAX = 50;
const PAST_PARAMS_LENGTH_MAX = 10000;
let past = [];

/** Storage may be switched off, full, or hold what another version wrote: then the list lives as long as the page. */
function loadPast() {
  try {
    const stored = JSON.parse(localStorage.getItem(PAST_KEY));
    if (Array.isArray(stored)) {
      past = stored.filter((item) => item && typeof item.method === 'string' && typeof item.params === 'string');
    }
  } catch {
    past = [];
  }
  showPast();
}

function savePast() {
  try {
    localStorage.setItem(PAST_KEY, JSON.stringify(past));
  } catch {
    // Kept in memory only.
  }
  showPast();
}

function remember(method, params, failed) {
  if (params.length > PAST_PARAMS_LENGTH_MAX) return;
  past = past.filter((item) => item.method !== method || item.params !== params);
  past.unshift({ method, params, failed, at: new Date().toISOString() });
  past.length = Math.min(past.length, PAST_ITEMS_MAX);
  savePast();
}

function showPast() {
  byId('past-count').textContent = String(past.length);
  byId('past-clear').hidden = past.length === 0;
  byId('past-list').replaceChildren(
    ...past.map((item) =>
      element('li', {},
        element('a', { href: callLink(item.method, item.params), title: new Date(item.at).toLocaleString() },
          element('span', { class: item.failed ? 'mark failed' : 'mark', 'aria-hidden': 'true' }),
          element('span', { class: 'name' }, item.method, item.failed ? element('span', { class: 'offscreen' }, ' (failed)') : ''),
          element('span', { class: 'hint' }, item.params)))),
  );
}
`;
