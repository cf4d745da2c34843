/**
 * Requests to the node: one POST each, with the answer as text.
 * @module
 */
export const node: string = String.raw`
let requestId = 0;

/** The request as compact JSON; params is JSON text, so that numbers keep their digits. */
function requestText(method, params) {
  return '{"jsonrpc":"2.0","id":' + requestId + ',"method":' + JSON.stringify(method) + ',"params":' + params + '}';
}

/** The URL of the node. Throws an error for an invalid field. */
function nodeUrl() {
  // An engine in a page has no URL; commands show the default one of a node in a terminal.
  if (inside) return 'http://127.0.0.1:6767/';
  const text = byId('url').value.trim();
  let url;
  try {
    url = new URL(text);
  } catch {
    throw new Error('The node URL is not a URL: ' + text);
  }
  if (url.protocol !== 'http:' && url.protocol !== 'https:') throw new Error('The node URL must begin with http:// or https://');
  return url.href;
}

/**
 * Sends a request text. Returns { status, text, node, result, error, milliseconds }; node is undefined if the answer is
 * not JSON. Throws an error if the node cannot be reached.
 */
async function send(text, signal) {
  const url = nodeUrl();
  const started = performance.now();
  let response;
  let answer;
  try {
    response = inside ? await inside.post(text, signal) : await fetch(url, { method: 'POST', headers: { 'content-type': 'application/json' }, body: text, signal });
    answer = await response.text();
  } catch (failure) {
    if (failure.name === 'AbortError') throw failure;
    const foreign = new URL(url).origin !== location.origin;
    throw new Error('No answer from ' + url + '. Is a node listening there' +
      (foreign ? ', and was it started with --cors ' + location.origin + '?' : '?'));
  }
  const milliseconds = performance.now() - started;
  let node;
  try {
    node = parseJson(answer);
  } catch {
    node = undefined;
  }
  return {
    status: response.status,
    text: answer,
    node,
    result: member(node, 'result'),
    error: member(node, 'error'),
    milliseconds,
  };
}

/** Calls a method and returns its result node; throws a failure with the JSON-RPC error node, if any. */
async function call(method, params, signal) {
  requestId++;
  const answer = await send(requestText(method, params), signal);
  if (answer.result) return answer.result;
  throw errorOf(answer.error, 'The node answered with status ' + answer.status + ' and no result');
}

/** The error of a JSON-RPC error node, with a default message. */
function errorOf(node, otherwise) {
  const failure = new Error(textAt(node, 'message') || otherwise);
  failure.node = node;
  return failure;
}

/** An error of JSON-RPC, or of the network, as a box. */
function failureBox(failure) {
  const node = failure.node;
  if (!node) return errorBox(failure.message, []);
  const data = member(node, 'data');
  const isText = data && data.kind === 'string';
  return errorBox(failure.message, [
    ['code', [textAt(node, 'code'), textAt(data, 'code')].filter(Boolean).join(' · ')],
    ['where', textAt(data, 'path')],
    ['expected', textAt(data, 'expected')],
    ['received', textAt(data, 'received')],
    ['what to do', textAt(data, 'hint')],
    ['data', isText ? data.value : undefined],
  ]);
}

/** The request as a command line for a POSIX shell. */
function curlCommand(url, text) {
  const quote = (word) => "'" + word.replaceAll("'", "'\\''") + "'";
  return 'curl -s ' + quote(url) + " -H 'content-type: application/json' -d " + quote(text);
}
`;
