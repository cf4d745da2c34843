/**
 * Sending: a form built from a module's ABI, the receipt of what was sent, and simulation; and the controls of a test
 * node.
 *
 * The page holds no keys. It asks the node to act on behalf of an account, which only works with the controls of a test
 * node; for any other node, it shows the command line that signs.
 * @module
 */
export const sender: string = String.raw`
/** The module that is shown, the function that is chosen, and its fields. */
let form = { module: '', functions: [], chosen: undefined, typeFields: [], fields: [] };
let funded = [];
/** Who was chosen as the sender where accounts are listed. */
let chosenSender;
let finding;

/** Shows the form of what the address names: a function, a module, the modules of an account, or nothing yet. */
async function showSender(name) {
  if (finding) finding.abort();
  const mine = new AbortController();
  finding = mine;
  showControls();
  const [address, module, wanted] = name.split('::');
  byId('tx-module').value = [address, module].filter(Boolean).join('::');
  byId('tx-found').replaceChildren();
  byId('tx-form').hidden = true;
  clearPanel('tx-receipt');
  if (!address) return;
  // A listener that other machines may reach refuses the controls, and says so; the form still gives the command.
  await loadFunded(mine.signal).catch((failure) => {
    if (finding === mine) byId('tx-found').replaceChildren(failureBox(failure));
  });
  if (finding !== mine) return;
  try {
    if (module) await showModule(address, module, wanted, mine);
    else await showModules(address, mine);
  } catch (failure) {
    if (finding === mine) byId('tx-found').replaceChildren(failureBox(failure));
  }
}

/** Whether the node acts for others, and what to do where it does not. */
function showControls() {
  const isOff = methods.length > 0 && !isOffered('dev_call');
  byId('tx-off').hidden = !isOff;
  for (const id of ['tx-send', 'tx-try']) byId(id).disabled = isOff;
}

async function loadFunded(signal) {
  if (funded.length > 0 || !isOffered('dev_accounts')) return;
  funded = itemsOf(await call('dev_accounts', '[]', signal)).map((account) => textAt(account, 'address'));
}

const MODULES_SHOWN = 200;

async function showModules(address, mine) {
  const result = await call(methodNamed('listStates'), JSON.stringify(['/module/' + address, null, String(MODULES_SHOWN), { decode: true }]), mine.signal);
  if (finding !== mine) return;
  const names = itemsOf(member(result, 'data'))
    .map((item) => textAt(member(item, 'state') || item, 'decoded_value', 'value', 'name')).filter(Boolean).sort();
  const links = names.map((name) => element('li', {}, element('a', { href: sendLink(address + '::' + name) }, name)));
  byId('tx-found').replaceChildren(names.length === 0
    ? element('p', { class: 'hint' }, 'This account has no modules.')
    : element('ul', { class: 'names' }, ...links));
}

async function showModule(address, module, wanted, mine) {
  const abi = await call(methodNamed('getModuleABI'), JSON.stringify([address, module]), mine.signal);
  if (finding !== mine) return;
  // Nobody can view a function that takes a signer: who would it be?
  const functions = itemsOf(member(abi, 'functions')).map(toPlain).filter((each) => each.is_entry || !each.params.some(isSigner));
  if (abi.kind === 'null' || functions.length === 0) {
    const what = abi.kind === 'null' ? 'There is no module ' + module + ' at ' + short(address) + '.' : 'The module has no functions to call.';
    byId('tx-found').replaceChildren(element('p', { class: 'hint' }, what));
    return;
  }
  byId('tx-found').append(element('p', {}, element('a', { href: stateLink('/module/' + address + '/' + module) }, 'The code of this module')));
  form = { module: address + '::' + module, functions, chosen: undefined, typeFields: [], fields: [] };
  const groups = [['Send', functions.filter((each) => each.is_entry)], ['View', functions.filter((each) => !each.is_entry)]];
  byId('tx-function').replaceChildren(...groups.filter(([, members]) => members.length > 0).map(([label, members]) =>
    element('optgroup', { label }, ...members.map(({ name }) => element('option', { value: name }, name)))));
  byId('tx-form').hidden = false;
  showAccounts();
  chooseFunction((functions.find(({ name }) => name === wanted) || functions.find((each) => each.is_entry) || functions[0]).name);
}

const ANOTHER = 'another';
const VIEW = 'executeViewFunction';

function showAccounts() {
  const chosen = chosenSender || byId('tx-sender').value;
  chosenSender = undefined;
  const options = funded.map((address, index) => element('option', { value: address }, index + ' · ' + short(address)));
  byId('tx-sender').replaceChildren(...options, element('option', { value: ANOTHER }, 'another address'));
  if (funded.includes(chosen)) byId('tx-sender').value = chosen;
  byId('tx-another-row').hidden = byId('tx-sender').value !== ANOTHER;
}

function chooseFunction(name) {
  const chosen = form.functions.find((each) => each.name === name);
  form.chosen = chosen;
  byId('tx-function').value = name;
  // A view is of nobody and costs nothing.
  for (const row of document.querySelectorAll('.only-sent')) row.hidden = !chosen.is_entry;
  byId('tx-another-row').hidden = !chosen.is_entry || byId('tx-sender').value !== ANOTHER;
  byId('tx-look').hidden = chosen.is_entry;
  form.typeFields = chosen.type_params.map(({ constraints }, index) => makeTypedField({
    id: 'tx-type-' + index,
    label: 'type T' + index,
    type: constraints.join(' + ') || 'any abilities',
    about: 'a Move type, such as 0x3::gas_coin::RGas',
  }));
  const parameters = chosen.params.filter((type) => !isSigner(type));
  form.fields = parameters.map((type, index) => makeTypedField({
    id: 'tx-argument-' + index,
    label: 'argument ' + index,
    type,
    about: describeType(type),
  }));
  byId('tx-fields').replaceChildren(...[...form.typeFields, ...form.fields].map((field) => field.row));
  if (form.typeFields.length + form.fields.length === 0) {
    byId('tx-fields').replaceChildren(element('p', { class: 'hint' }, 'This function takes no arguments.'));
  }
}

function makeTypedField({ id, label, type, about }) {
  const { name, inner } = readType(type);
  const isLong = STRINGS.has(name) || (name === 'vector' && inner[0] !== 'u8');
  const input = name === 'bool'
    ? element('select', { id }, ...['false', 'true'].map((value) => element('option', { value }, value)))
    : element(isLong ? 'textarea' : 'input', {
        id, rows: isLong ? '2' : undefined, type: isLong ? undefined : 'text',
        inputmode: /^u\d+$/.test(name) ? 'numeric' : undefined, spellcheck: 'false', autocomplete: 'off',
      });
  input.setAttribute('aria-describedby', id + '-help ' + id + '-trouble');
  const trouble = element('p', { class: 'trouble', id: id + '-trouble', hidden: true });
  const row = element('div', { class: 'field' },
    element('label', { for: id }, label, element('code', { class: 'hint' }, short(type))), input,
    element('p', { class: 'help', id: id + '-help' }, about), trouble);
  return { input, row, type, trouble };
}

/** What a field says by read, or undefined with its trouble shown and told. */
function readField({ input, trouble }, read, tell = () => {}) {
  trouble.hidden = true;
  input.removeAttribute('aria-invalid');
  try {
    return read(input.value);
  } catch (failure) {
    trouble.textContent = failure.message;
    trouble.hidden = false;
    input.setAttribute('aria-invalid', 'true');
    tell();
    return undefined;
  }
}

const ownField = (id) => ({ input: byId(id), trouble: byId(id + '-trouble') });

/** The call as the form says: { sender, call, options } in JSON text, or undefined with the first wrong field in focus. */
function currentCall() {
  const types = form.typeFields.map((field) => readField(field, (text) => {
    if (text.trim() === '') throw new Error('Expected a Move type.');
    return text.trim();
  }));
  const values = form.fields.map((field) => readField(field, (text) => argumentJson(concreteType(field.type, types), text)));
  const gas = readField(ownField('tx-gas'), (text) => (text.trim() === '' ? 'null' : argumentJson('u64', text)));
  const account = !form.chosen.is_entry ? 'null' : byId('tx-sender').value === ANOTHER
    ? readField(ownField('tx-another'), (text) => argumentJson('address', text))
    : JSON.stringify(byId('tx-sender').value);
  if ([...types, ...values, gas, account].includes(undefined)) {
    byId('tx-form').querySelector('[aria-invalid]').focus();
    return undefined;
  }
  const call = '{"function_id":' + JSON.stringify(form.module + '::' + form.chosen.name) +
    ',"ty_args":' + JSON.stringify(types) + ',"arguments":[' + values.join(',') + ']}';
  return { account, call, gas };
}

/** The result of a view as elements: what it returned, or why it failed. */
function viewParts(result) {
  const values = itemsOf(member(result, 'return_values'));
  const isExecuted = textAt(result, 'vm_status') === 'Executed';
  const failure = member(result, 'failure');
  const code = textAt(failure, 'abort_code');
  const sentence = textAt(result, 'error_message') || [code === undefined ? textAt(failure, 'status') : 'aborted with code ' + code,
    textAt(failure, 'abort_name') && '(' + textAt(failure, 'abort_name') + ')', textAt(failure, 'module') && 'in ' + textAt(failure, 'module') + '::' + textAt(failure, 'function')].filter(Boolean).join(' ');
  return [
    element('p', { class: isExecuted ? 'outcome' : 'outcome failed' },
      element('span', { class: isExecuted ? 'mark' : 'mark failed', 'aria-hidden': 'true' }),
      !isExecuted ? 'Failed' : values.length === 0 ? 'Returned nothing' : 'Returned'),
    ...(isExecuted ? [] : reasonBlock(sentence, textAt(failure, 'abort_meaning'), member(failure, 'call_stack'))),
    ...values.map((value) => element('div', {},
      element('p', { class: 'label' }, short(shortName(textAt(value, 'value', 'type_tag') || ''))),
      element('div', { class: 'code' }, jsonTree(bareValue(member(value, 'decoded_value')), linkOf)))),
    ...printParts(itemsOf(member(result, 'prints'))),
    wholeAnswer(result),
  ];
}

/** Sends what the form says, simulates it, or views it. */
async function submitForm(method) {
  const current = currentCall();
  if (current === undefined) return;
  const options = '{"max_gas_amount":' + current.gas + (method === 'dev_call' ? ',"withOutput":true,"decode":true' : ',"trace":true') + '}';
  const [params, show] = method === VIEW
    ? [[current.call], viewParts]
    : [[current.account, current.call, options], method === 'dev_call' ? receiptParts : simulationParts];
  const isShown = await fillPanel('tx-receipt', async (signal) =>
    show(await call(method === VIEW ? methodNamed(VIEW) : method, '[' + params.join(',') + ']', signal)), true);
  if (!isShown) return;
  const outcome = byId('tx-receipt').querySelector('.outcome');
  if (outcome) say(outcome.textContent);
  reveal('tx-answer');
}

/** The same on a command line, which signs for the funded accounts and so works with any node. */
function shellCommand() {
  const quote = (word) => (/^[\w.:/@%+=-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'");
  const account = byId('tx-sender').value === ANOTHER ? byId('tx-another').value.trim() : byId('tx-sender').value;
  const types = form.typeFields.flatMap(({ input }) => ['--type-args', input.value.trim()]);
  const values = form.fields.map(({ input, type }) => shellArgument(type, input.value));
  const gas = byId('tx-gas').value.trim();
  const words = [form.module + '::' + form.chosen.name, ...values, ...types,
    ...(account === '' ? [] : ['--sender', account]),
    ...(gas === '' ? [] : ['--max-gas', gas]), '--url', nodeUrl()];
  return 'movelet run ' + words.map(quote).join(' ');
}

function startSender() {
  byId('tx-find').addEventListener('submit', (event) => {
    event.preventDefault();
    const target = sendLink(byId('tx-module').value.trim());
    goTo(target);
  });
  // The address follows the form without a new entry in the history.
  byId('tx-function').addEventListener('change', () => {
    chooseFunction(byId('tx-function').value);
    clearPanel('tx-receipt');
    history.replaceState(null, '', sendLink(form.module + '::' + form.chosen.name));
  });
  byId('tx-sender').addEventListener('change', () => {
    byId('tx-another-row').hidden = byId('tx-sender').value !== ANOTHER;
  });
  byId('tx-form').addEventListener('submit', (event) => {
    event.preventDefault();
    if (!form.chosen.is_entry) submitForm(VIEW);
    else if (!byId('tx-send').disabled) submitForm('dev_call');
  });
  byId('tx-form').addEventListener('keydown', (event) => {
    if (event.key === 'Enter' && (event.ctrlKey || event.metaKey)) byId('tx-form').requestSubmit();
  });
  byId('tx-try').addEventListener('click', () => submitForm('dev_simulate'));
  const copy = copyButton('Copy as command', shellCommand);
  copy.classList.add('only-sent');
  byId('tx-tools').append(copy);
}

const CONTROLS = { time: 'dev_time', mine: 'dev_mine', snapshot: 'dev_snapshot', fund: 'dev_fund' };
const BLOCKS_AT_ONCE_MAX = 100;

/** Snapshots that were taken on this page: { id, order }. The node keeps them, and nobody can ask it for them. */
let snapshots = [];

const offersControls = () => Object.values(CONTROLS).some(isOffered);

function showControlsView() {
  for (const [name, method] of Object.entries(CONTROLS)) byId('dev-' + name + '-part').hidden = !isOffered(method);
  byId('dev-off').hidden = methods.length === 0 || offersControls();
  byId('dev-outcome').replaceChildren();
  showSnapshots();
  showNow();
}

/** The chain's time, for people and exactly. */
function showNow() {
  if (isOffered(CONTROLS.time)) fillPanel('dev-now', async (signal) => {
    const milliseconds = textAt(await call('dev_time', '[]', signal), 'now');
    return [element('p', {}, momentText(milliseconds), ' ', element('span', { class: 'hint' }, milliseconds + ' ms'))];
  });
}

/** Does work() once a form is sent, and shows what it promises; the same form is not sent twice at a time. */
function control(id, work) {
  const form = byId(id);
  const button = form.querySelector('button');
  form.addEventListener('submit', async (event) => {
    event.preventDefault();
    if (button.disabled) return;
    button.disabled = true;
    const outcome = byId('dev-outcome');
    try {
      const parts = await work();
      outcome.replaceChildren(element('p', {}, ...parts));
      showNow();
    } catch (failure) {
      outcome.replaceChildren(failureBox(failure));
    }
    button.disabled = false;
    // A button that is disabled loses the focus.
    button.focus();
  });
}

async function advanceTime() {
  const milliseconds = BigInt(JSON.parse(integerJson(byId('dev-advance-by').value.trim(), 32))) * BigInt(byId('dev-advance-unit').value);
  return timeSentence(await call('dev_advanceTime', JSON.stringify([String(milliseconds)])));
}

/** The field has a moment without a zone, which is meant in UTC. */
async function setTime() {
  const milliseconds = Date.parse(byId('dev-set-to').value + 'Z');
  if (Number.isNaN(milliseconds)) throw new Error('Expected a date and a time.');
  return timeSentence(await call('dev_setTime', JSON.stringify([String(milliseconds)])));
}

const timeSentence = (answer) => ['The time is ' + momentText(textAt(answer, 'now')) + '.'];

async function mineBlocks() {
  const to = byId('dev-mine-to').value.trim();
  const count = Number(JSON.parse(integerJson(byId('dev-mine-count').value.trim(), 16)));
  if (count < 1 || count > BLOCKS_AT_ONCE_MAX) throw new Error('Expected 1 to ' + BLOCKS_AT_ONCE_MAX + ' blocks.');
  let block;
  for (let mined = 0; mined < count; mined++) block = await call('dev_mine', JSON.stringify([to === '' ? null : { to }]));
  const order = await headOrder();
  return ['Mined ' + (count === 1 ? 'a block' : count + ' blocks') + ', up to height ' + textAt(block, 'height') + '; the newest transaction is ',
    element('a', { href: transactionLink(order) }, String(order)), '.'];
}

async function takeSnapshot() {
  const order = await headOrder();
  const id = textAt(await call('dev_snapshot', '[]'));
  snapshots.push({ id, order });
  showSnapshots();
  return ['Snapshot ' + id + ' is of order ' + order + '.'];
}

function showSnapshots() {
  byId('dev-snapshots').replaceChildren(...snapshots.map(({ id, order }) => {
    const form = element('form', { id: 'dev-revert-' + id, class: 'inline' },
      element('button', { type: 'submit' }, 'Go to snapshot ' + id), element('span', { class: 'hint' }, 'order ' + order));
    return element('li', {}, form);
  }));
  for (const { id } of snapshots) control('dev-revert-' + id, async () => {
    await call('dev_revert', JSON.stringify([id]));
    return ['The chain is at snapshot ' + id + ', order ' + (await headOrder()) + '.'];
  });
}

async function fundAccount() {
  const account = byId('dev-fund-account').value.trim();
  const params = '[' + [JSON.stringify(account), JSON.stringify(byId('dev-fund-coin').value.trim()), integerJson(byId('dev-fund-amount').value.trim(), 256)].join(',') + ']';
  const balance = await call('dev_fund', params);
  return [element('a', { href: accountLink(account) }, short(account)), ' has ' +
    decimalText(textAt(balance, 'balance'), Number(textAt(balance, 'decimals'))) + ' ' + textAt(balance, 'symbol') + ' now.'];
}

function startControls() {
  control('dev-advance', advanceTime);
  control('dev-set', setTime);
  control('dev-mine', mineBlocks);
  control('dev-snapshot', takeSnapshot);
  control('dev-fund', fundAccount);
}
`;
