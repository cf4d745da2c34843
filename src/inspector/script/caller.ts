/**
 * Calling a method: the list of methods, the form of one, its request and its answer; and the history of requests, which
 * the browser keeps if it can.
 * @module
 */
export const caller: string = `
let documented = {};
let documentedNode;
let methods = [];
/** The current method, its fields, and whether its parameters are edited as JSON. */
let shown = { method: '', fields: [], asJson: true };
let connecting;

/** The order of the groups of methods; others come last. */
const GROUPS = ['chain', 'btc', 'rooch'];

/**
 * Reads the list of methods from the node, and shows the view of the address. A node without that document has its methods
 * called by name. The answer is dropped if another node was chosen meanwhile.
 */
async function connect() {
  if (connecting) connecting.abort();
  const mine = new AbortController();
  connecting = mine;
  const status = byId('status');
  status.textContent = 'Connecting…';
  documented = {};
  documentedNode = undefined;
  methods = [];
  funded = [];
  snapshots = [];
  stopWatch();
  try {
    const answer = await call('rpc.discover', '[]', mine.signal);
    if (connecting !== mine) return;
    documentedNode = answer;
    documented = toPlain(documentedNode);
    methods = Array.isArray(documented.methods) ? documented.methods.filter((method) => method && typeof method.name === 'string') : [];
    const info = documented.info || {};
    status.textContent = [wordsOf(info.title), wordsOf(info.version), methods.length + ' methods'].filter(Boolean).join(' · ');
  } catch (failure) {
    if (connecting !== mine) return;
    status.textContent = failure.node ? 'This node does not list its methods; call them by name.' : failure.message;
  }
  status.classList.toggle('failed', methods.length === 0);
  byId('dev-tab').hidden = !offersControls();
  coins.clear();
  failures.clear();
  if (methods.length > 0) renewChip();
  showMethods();
  route();
}

function showMethods() {
  const wanted = byId('filter').value.trim();
  const found = methods.filter(({ name }) => name.toLowerCase().includes(wanted.toLowerCase()));
  const groups = new Map();
  for (const method of found) {
    const group = /^[a-z]+(?=[_.])/i.exec(method.name);
    const name = group ? group[0] : 'other';
    groups.set(name, [...(groups.get(name) || []), method]);
  }
  const rank = (group) => (GROUPS.includes(group) ? GROUPS.indexOf(group) : GROUPS.length);
  const sorted = [...groups].sort(([left], [right]) => rank(left) - rank(right));
  const lists = sorted.map(([group, members]) =>
    element('section', {},
      element('h3', {}, group),
      element('ul', {}, ...members.map((method) =>
        element('li', {}, element('a', {
          href: callLink(method.name),
          title: wordsOf(method.summary) || wordsOf(method.description),
          'aria-current': method.name === shown.method ? 'page' : undefined,
        }, method.name))))));
  if (wanted !== '' && !methods.some(({ name }) => name === wanted)) {
    lists.push(element('p', {}, element('a', { href: callLink(wanted) }, 'Call “' + wanted + '” by name')));
  }
  byId('methods').replaceChildren(...lists);
}

/** Shows the form of a method, filled with params (JSON text), or with the method's first example. */
function showMethod(name, params) {
  clearPanel('response');
  byId('response').append(empty('Send the request to see the answer.'));
  const method = methods.find((each) => each.name === name);
  const parameters = method && Array.isArray(method.params) ? method.params.map((each) => resolve(documented, each)) : [];
  shown = { method: name, fields: [], asJson: method === undefined };
  byId('method-name').textContent = name;
  byId('method-about').textContent = method
    ? wordsOf(method.description) || wordsOf(method.summary) || ''
    : 'The node does not describe this method; give its parameters as a JSON array.';
  shown.fields = parameters.map((parameter, index) => makeField(parameter, index));
  byId('fields').replaceChildren(...shown.fields.map((field) => field.row));
  if (method && parameters.length === 0) byId('fields').replaceChildren(element('p', { class: 'hint' }, 'This method takes no parameters.'));
  showExamples(method);
  byId('as-json').checked = shown.asJson;
  byId('as-json').disabled = method === undefined;
  const examples = examplesOf(name);
  if (params !== undefined) fill(params);
  else if (examples.length > 0) fill(examples[0].params);
  else fill('[]');
  showMethods();
}

function makeField(parameter, index) {
  const types = typesOf(documented, parameter.schema);
  const choices = choicesOf(documented, parameter.schema);
  const id = 'field-' + index;
  const wide = types.has('object') || types.has('array') || types.size === 0;
  const input = choices
    ? element('select', { id }, element('option', { value: '' }, 'not given'), ...choices.map((choice) => element('option', { value: choice }, choice)))
    : wide
      ? element('textarea', { id, rows: '2', spellcheck: 'false' })
      : element('input', { id, type: 'text', spellcheck: 'false', autocomplete: 'off' });
  input.setAttribute('aria-describedby', id + '-help');
  input.addEventListener('input', showRequest);
  const trouble = element('p', { class: 'trouble', hidden: true });
  const about = [wordsOf(parameter.description) || wordsOf(parameter.summary) || wordsOf(resolve(documented, parameter.schema).description)].filter(Boolean);
  const row = element('div', { class: 'field' },
    element('label', { for: id }, wordsOf(parameter.name) || 'parameter ' + (index + 1),
      element('span', { class: 'hint' }, parameter.required ? 'required' : 'optional')),
    input,
    element('p', { class: 'help', id: id + '-help' }, element('code', {}, describeSchema(documented, parameter.schema)), ...about.map((text) => ' ' + text)),
    trouble);
  return { name: wordsOf(parameter.name), input, row, types, trouble };
}

/** The examples of a method with their params as JSON text. */
function examplesOf(name) {
  const list = member(documentedNode, 'methods');
  const found = list && list.kind === 'array' ? list.items.find((each) => textAt(each, 'name') === name) : undefined;
  const examples = member(found, 'examples');
  if (!examples || examples.kind !== 'array') return [];
  return examples.items.map((example, index) => {
    const params = member(example, 'params');
    const values = params && params.kind === 'array' ? params.items : [];
    return {
      name: (textAt(example, 'name') || 'example ' + (index + 1)).replace(name + ' ', ''),
      params: '[' + values.map((value) => writeJson(member(value, 'value') || value)).join(',') + ']',
    };
  });
}

function showExamples(method) {
  const examples = method ? examplesOf(method.name) : [];
  byId('examples').replaceChildren(...(examples.length === 0 ? [] : ['Examples: ']), ...examples.map((example) =>
    element('button', { type: 'button', class: 'quiet', onclick: () => fill(example.params) }, example.name)));
}

/** Puts params (JSON text) into the fields, or into the JSON field if they do not fit. */
function fill(params) {
  let node;
  try {
    node = parseJson(params);
  } catch {
    node = undefined;
  }
  const items = node && node.kind === 'array' ? node.items : undefined;
  byId('params').value = node ? writeJson(node, '  ') : params;
  const fits = items !== undefined && items.length <= shown.fields.length && !byId('as-json').disabled;
  if (fits) {
    shown.fields.forEach((field, index) => {
      const item = items[index];
      field.input.value = item && item.kind !== 'null' ? fieldText(item, field.types) : '';
    });
  }
  setMode(!fits);
}

/** Chooses between fields and JSON. */
function setMode(asJson) {
  shown.asJson = asJson;
  byId('as-json').checked = asJson;
  byId('fields').hidden = asJson;
  byId('params-row').hidden = !asJson;
  showRequest();
}

function switchMode() {
  const asJson = byId('as-json').checked;
  const params = currentParams();
  if (params === undefined) {
    byId('as-json').checked = shown.asJson;
    return;
  }
  shown.asJson = asJson;
  fill(params);
  if (asJson) setMode(true);
}

/** The params as JSON text; undefined, with an error shown, if a field cannot be read. */
function currentParams() {
  const trouble = byId('params-trouble');
  trouble.hidden = true;
  if (shown.asJson) {
    try {
      const node = parseJson(byId('params').value.trim() || '[]');
      if (node.kind === 'array' || node.kind === 'object') return writeJson(node);
      trouble.textContent = 'Expected a JSON array, or an object with names.';
    } catch (failure) {
      trouble.textContent = failure.message;
    }
    trouble.hidden = false;
    return undefined;
  }
  let failed = false;
  const parts = shown.fields.map((field) => readField(field, (text) => encodeField(text, field.types), () => { failed = true; }));
  if (failed) return undefined;
  while (parts.length > 0 && parts[parts.length - 1] === undefined) parts.pop();
  return '[' + parts.map((part) => (part === undefined ? 'null' : part)).join(',') + ']';
}

/** Shows the request as it would be sent now. */
function showRequest() {
  const params = currentParams();
  byId('send').disabled = params === undefined;
  if (params === undefined) return;
  const text = requestText(shown.method, params);
  byId('request').replaceChildren(jsonTree(parseJson(text)));
  byId('request-tools').replaceChildren(
    copyButton('Copy as curl', () => curlCommand(nodeUrl(), requestText(shown.method, params))),
    copyButton('Copy JSON', () => writeJson(parseJson(requestText(shown.method, params)), '  ')));
}

async function sendShown() {
  const params = currentParams();
  if (params === undefined) return;
  requestId++;
  showRequest();
  const method = shown.method;
  const isShown = await fillPanel('response', async (signal) => {
    const answer = await send(requestText(method, params), signal);
    if (signal.aborted) return [];
    remember(method, params, answer.result === undefined);
    // Back and reload show this request again.
    if (params.length <= PAST_PARAMS_LENGTH_MAX) history.replaceState(null, '', callLink(method, params));
    return answerParts(answer);
  }, true);
  if (isShown) reveal('answer');
}

function answerParts(answer) {
  const bytes = new TextEncoder().encode(answer.text).length;
  const facts = 'HTTP ' + answer.status + ' · ' + answer.milliseconds.toFixed(1) + ' ms · ' + bytes + ' bytes';
  const tools = element('div', { class: 'tools' },
    copyButton('Copy answer', () => (answer.node ? writeJson(answer.node, '  ') : answer.text)),
    nextPage(answer.result));
  const parts = [element('p', { class: 'facts' }, facts), tools];
  if (answer.error) parts.push(failureBox(errorOf(answer.error, 'Error without a message')));
  parts.push(element('div', { class: 'code' }, answer.node ? jsonTree(answer.node, linkOf) : answer.text || '(empty)'));
  say(answer.error ? 'The node answered with an error.' : 'The answer is here.');
  return parts;
}

/** A button for the next page, if there is one: the same request with the cursor of the answer. */
function nextPage(result) {
  const cursor = member(result, 'next_cursor');
  const at = shown.fields.findIndex((field) => field.name === 'cursor');
  if (textAt(result, 'has_next_page') !== 'true' || !cursor || at === -1 || shown.asJson) return undefined;
  return element('button', {
    type: 'button',
    onclick: () => {
      shown.fields[at].input.value = fieldText(cursor, shown.fields[at].types);
      sendShown();
    },
  }, 'Next page');
}

const PAST_KEY = 'movelet.past';
const PAST_ITEMS_MAX = 50;
const PAST_PARAMS_LENGTH_MAX = 10000;
let past = [];

/** Another version may have stored something else. */
function loadPast() {
  try {
    const stored = JSON.parse(kept(PAST_KEY));
    if (Array.isArray(stored)) {
      past = stored.filter((item) => item && typeof item.method === 'string' && typeof item.params === 'string');
    }
  } catch {
    past = [];
  }
  showPast();
}

function savePast() {
  keep(PAST_KEY, JSON.stringify(past));
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
