/**
 * The playground's own view: an editor, the compiler, and a chain in a worker of the page, which replaces the node for the
 * rest of the client. A run is shared as a link: the source and the recording of the chain, compressed, in the fragment,
 * which no server receives.
 * @module
 */
export const code: string = String.raw`
/** The engine in the page: ask(use, given), post(text, signal) in place of fetch, and socket() in place of a WebSocket. */
const inside = openInside();

function openInside() {
  const worker = new Worker('worker.js', { type: 'module' });
  const asked = [];
  worker.addEventListener('message', ({ data: { id, value, failure } }) => {
    const { resolve, reject } = asked[id];
    delete asked[id];
    if (failure === undefined) resolve(value);
    else reject(Object.assign(new Error(failure.message), failure));
  });
  const ask = (use, given, moved = []) => new Promise((resolve, reject) => {
    worker.addEventListener('error', () => reject(new Error('The engine could not be started in a worker of this page.')));
    worker.postMessage({ id: asked.push({ resolve, reject }) - 1, use, given }, moved);
  });
  const connect = () => {
    const { port1, port2 } = new MessageChannel();
    ask('connect', port2, [port2]).catch((failure) => showRunFailure(failure));
    return port1;
  };
  const answers = new Map();
  let port;
  const post = (text, signal) => new Promise((resolve, reject) => {
    if (port === undefined) {
      port = connect();
      port.onmessage = ({ data }) => {
        const { id } = JSON.parse(data);
        const take = (answers.get(id) || []).shift();
        if (take) take({ status: 200, text: async () => data });
      };
    }
    if (signal) signal.addEventListener('abort', () => reject(signal.reason));
    const { id } = JSON.parse(text);
    answers.set(id, [...(answers.get(id) || []), resolve]);
    port.postMessage(text);
  });
  const socket = () => {
    const own = connect();
    const made = Object.assign(new EventTarget(), { readyState: WebSocket.OPEN, send: (text) => own.postMessage(text), close: () => own.close() });
    own.onmessage = ({ data }) => made.dispatchEvent(new MessageEvent('message', { data }));
    setTimeout(() => made.dispatchEvent(new Event('open')));
    return made;
  };
  return { ask, post, socket };
}

const CODE_KEY = 'movelet.code';
/** Milliseconds without a key after which the source is compiled. */
const COMPILE_AFTER_MS = 400;
/** Characters of a link that mail and chat accept. */
const LINK_LENGTH_MAX = 30000;
const RUN_LINK = /^#\/run\/([\w-]+)$/;

let compileTimer;
/** The last publication: { modules, order, status, address }. */
let published;

/** Assigns every unknown named address of the source to the publisher. */
function addressesIn(source, address) {
  const names = [...source.matchAll(/\bmodule\s+([A-Za-z_]\w*)::|@([A-Za-z_]\w*)/g)].map(([, module, named]) => module || named);
  const known = ['std', 'moveos_std', 'rooch_framework', 'bitcoin_move'];
  return Object.fromEntries(names.filter((name) => !known.includes(name)).map((name) => [name, address]));
}

async function showCode() {
  await loadFunded().catch(() => {});
  const chosen = byId('code-sender').value;
  byId('code-sender').replaceChildren(...accountOptions());
  if (funded.includes(chosen)) byId('code-sender').value = chosen;
  if (funded.length > 0) compileCode();
  await showPublished();
}

/** The numbers of the lines, those with errors marked. */
function showLines(marks = new Set()) {
  const text = byId('code-text');
  const count = text.value.split('\n').length;
  text.rows = Math.max(count, 12);
  byId('code-lines').replaceChildren(...Array.from({ length: count }, (_, index) =>
    element('span', { class: marks.has(index + 1) ? 'failed' : undefined }, index + 1 + '\n')));
}

function editCode() {
  showLines();
  clearTimeout(compileTimer);
  compileTimer = setTimeout(compileCode, COMPILE_AFTER_MS);
  keep(CODE_KEY, byId('code-text').value);
}

function sourceToCompile() {
  const source = byId('code-text').value;
  return { source, addresses: addressesIn(source, byId('code-sender').value) };
}

/** Compiles the source and shows the diagnostics. */
async function compileCode() {
  clearTimeout(compileTimer);
  byId('code-state').textContent = 'Compiling…';
  const given = sourceToCompile();
  try {
    const { warnings } = await inside.ask('compile', given);
    if (given.source !== byId('code-text').value) return;
    byId('code-state').textContent = warnings.length === 0 ? 'Compiles' : 'Compiles, with ' + countText(warnings.length, 'warning');
    showDiagnostics(warnings);
  } catch (failure) {
    if (given.source !== byId('code-text').value) return;
    const diagnostics = failure.diagnostics || [];
    byId('code-state').textContent = diagnostics.length === 0 ? failure.message : countText(diagnostics.filter(({ severity }) => severity === 'error').length, 'error');
    showDiagnostics(diagnostics);
  }
}

function showDiagnostics(diagnostics) {
  showLines(new Set(diagnostics.filter(({ severity }) => severity === 'error').map(({ place }) => place.line)));
  byId('code-troubles').replaceChildren(...diagnostics.map((each) => element('li', {},
    element('button', { type: 'button', class: 'quiet', onclick: () => goToPlace(each.place) }, 'Line ' + each.place.line),
    ' ', element('strong', {}, each.title), ' ', each.place.message,
    ...each.related.map(({ line, message }) => element('p', { class: 'help' }, 'Line ' + line + ': ' + message)),
    ...each.notes.map((note) => element('p', { class: 'help' }, note)))));
}

function goToPlace({ line, column }) {
  const text = byId('code-text');
  const at = text.value.split('\n').slice(0, line - 1).reduce((sum, each) => sum + each.length + 1, 0) + column - 1;
  text.focus();
  text.setSelectionRange(at, at);
}

async function publishCode() {
  const button = byId('code-publish');
  button.disabled = true;
  await fillPanel('code-answer', async () => {
    try {
      const address = byId('code-sender').value;
      published = { ...(await inside.ask('publish', { ...sourceToCompile(), account: address })), address };
      abis.clear();
      say('Published.');
    } catch (failure) {
      compileCode();
      if (failure.diagnostics) return [errorBox('It does not compile yet.', [['what to do', 'The lines with errors are listed below the editor.']])];
      return [errorBox(failure.message, [])];
    }
    return publishedParts();
  }, true);
  button.disabled = false;
  renewChip();
}

/** The published modules with their callable functions. */
async function publishedParts() {
  const { modules, order, status, address } = published;
  const head = element('p', { class: 'lead' }, status === 'executed' ? 'Published as ' : 'Publishing failed: ',
    status === 'executed' ? element('a', { href: transactionLink(order) }, 'transaction ' + order) : element('a', { href: transactionLink(order) }, status),
    status === 'executed' ? '. Now call it:' : '.');
  if (status !== 'executed') return [head];
  const shown = await Promise.all(modules.map(async (module) => {
    const name = address + '::' + module;
    const abi = await abiOf(name);
    if (abi === undefined) return [];
    return [
      element('h3', {}, moduleTag(address, module)),
      functionsPanel('Send', 'a transaction calls them', name, abi, abi.functions.filter((each) => each.is_entry), 'Call'),
      functionsPanel('View', 'read without a transaction', name, abi, abi.functions.filter((each) => !each.is_entry && isCallable(each)), 'View'),
    ];
  }));
  return [head, ...shown.flat().filter(Boolean)];
}

async function showPublished() {
  if (published === undefined) {
    byId('code-answer').replaceChildren(element('ol', { class: 'steps' },
      element('li', {}, element('strong', {}, 'Publish'), ' the contract: the chain runs in this page, and account 0 has coins.'),
      element('li', {}, element('strong', {}, 'Call'), ' one of its functions, and see what changed, event by event and instruction by instruction.'),
      element('li', {}, element('strong', {}, 'Copy the link'), ': who opens it has the same code and the same chain.')));
    return;
  }
  await fillPanel('code-answer', publishedParts, true);
}

const base64Url = (bytes) => {
  let text = '';
  for (const byte of bytes) text += String.fromCharCode(byte);
  return btoa(text).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
};
const bytesOfBase64Url = (text) => Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (letter) => letter.charCodeAt(0));
const through = async (bytes, stream) => new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(stream)).arrayBuffer());

/** The source and the run in one: the length of the source (4 bytes, little endian), the source, the file of the run. */
async function sharedBytes() {
  const [source, run] = [new TextEncoder().encode(byId('code-text').value), await inside.ask('run')];
  const length = new Uint8Array(4);
  new DataView(length.buffer).setUint32(0, source.length, true);
  return through(new Blob([length, source, run]), new CompressionStream('gzip'));
}

async function copyLink() {
  const link = location.href.split('#')[0] + '#/run/' + base64Url(await sharedBytes());
  if (link.length > LINK_LENGTH_MAX) {
    showRunFailure(new Error('This run makes a link of ' + countText(link.length, 'character') + ', which few places take: save it as a file.'));
    return;
  }
  const copied = await copyText(link);
  const text = copied ? 'Copied: ' + countText(link.length, 'character') : 'Copying is not allowed here; the link is the address of this page now';
  if (!copied) history.replaceState(undefined, '', link);
  byId('code-shared').textContent = text;
  say(text);
}

/** The file is an input of the command movelet replay. */
async function saveRun() {
  const url = URL.createObjectURL(new Blob([await inside.ask('run')], { type: 'application/octet-stream' }));
  element('a', { href: url, download: 'playground.run' }).click();
  setTimeout(() => URL.revokeObjectURL(url), 1000);
}

function showRunFailure(failure) {
  byId('code-shared').textContent = failure.message;
}

/** Opens the chain: a new one, or that of a run. */
async function openChain(run) {
  try {
    await inside.ask('open', run);
    return true;
  } catch (failure) {
    await inside.ask('open', undefined);
    showRunFailure(new Error('The run could not be replayed: ' + failure.message));
    return false;
  }
}

/** Replaces the chain. */
async function changeChain(run) {
  published = undefined;
  const isOpen = await openChain(run);
  await connect();
  goTo(run !== undefined && isOpen ? '#/chain' : '#/code');
}

async function startCode() {
  const text = byId('code-text');
  text.value = kept(CODE_KEY) || DEFAULT_SOURCE;
  onSubmit('code', publishCode);
  text.addEventListener('input', editCode);
  onCtrlEnter('code-text', publishCode);
  byId('code-sender').addEventListener('change', compileCode);
  byId('code-link').addEventListener('click', copyLink);
  byId('code-save').addEventListener('click', saveRun);
  byId('code-open').addEventListener('change', async (event) => {
    const [file] = event.target.files;
    if (file) await changeChain(new Uint8Array(await file.arrayBuffer()));
    event.target.value = '';
  });
  byId('code-anew').addEventListener('click', () => changeChain(undefined));
  byId('code-example').addEventListener('click', () => {
    text.value = DEFAULT_SOURCE;
    editCode();
  });
  let run;
  const [, shared] = RUN_LINK.exec(location.hash) || [];
  if (shared !== undefined) {
    history.replaceState(undefined, '', '#/code');
    try {
      const bytes = await through(bytesOfBase64Url(shared), new DecompressionStream('gzip'));
      const length = new DataView(bytes.buffer).getUint32(0, true);
      text.value = new TextDecoder().decode(bytes.subarray(4, 4 + length));
      run = bytes.slice(4 + length);
    } catch {
      showRunFailure(new Error('The link is damaged: some of it is missing.'));
    }
  }
  showLines();
  if (await openChain(run) && run !== undefined) history.replaceState(undefined, '', '#/chain');
}
`;
