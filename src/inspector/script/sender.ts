/**
 * Sending: the form of a function, made from its module's ABI, the simulation, and the receipt.
 *
 * The page has no keys. The node acts on behalf of an account, which only works with the controls of a test node; for any
 * other node, the page shows the command that signs.
 * @module
 */
export const sender: string = String.raw`
/** The current module and function, and its fields. */
let form = { module: '', chosen: undefined, typeFields: [], fields: [] };
/** The sender chosen in the list of accounts. */
let chosenSender;

/** Enables sending if the node has the controls, and shows what to do otherwise. */
function showControls() {
  const isOff = methods.length > 0 && !isOffered('dev_call');
  byId('tx-off').hidden = !isOff || !form.chosen.is_entry;
  for (const id of ['tx-send', 'tx-try']) byId(id).disabled = isOff;
}

const ANOTHER = 'another';
const VIEW = 'executeViewFunction';
const OBJECTS_OFFERED = '20';
const LABEL_LENGTH_MAX = 60;

function offerAccounts() {
  const chosen = chosenSender || byId('tx-sender').value;
  chosenSender = undefined;
  const options = funded.map((address, index) => element('option', { value: address }, 'account ' + index + ' · ' + short(address)));
  byId('tx-sender').replaceChildren(...options, element('option', { value: ANOTHER }, 'another address'));
  if (funded.includes(chosen)) byId('tx-sender').value = chosen;
  byId('tx-another-row').hidden = byId('tx-sender').value !== ANOTHER;
}

/** Shows the form of a function, with the objects and accounts to choose as arguments. */
async function showForm(module, abi, signal) {
  const chosen = abi.wanted;
  const parameters = parametersOf(abi).filter(({ type }) => !isSigner(type));
  const choices = await Promise.all(parameters.map(({ type }) => choicesFor(type, signal).catch(() => [])));
  if (signal.aborted) return;
  form = { module, chosen, typeFields: [], fields: [] };
  offerAccounts();
  // A view has no sender and costs nothing.
  for (const row of document.querySelectorAll('.only-sent')) row.hidden = !chosen.is_entry;
  byId('tx-another-row').hidden = !chosen.is_entry || byId('tx-sender').value !== ANOTHER;
  byId('tx-look').hidden = chosen.is_entry;
  byId('tx-gas').value = '';
  showControls();
  form.typeFields = chosen.type_params.map(({ constraints }, index) => makeTypedField({
    id: 'tx-type-' + index,
    label: 'type T' + index,
    type: constraints.join(' + ') || 'any abilities',
    about: 'a Move type',
    choices: [{ value: GAS, label: 'RGas, the coin that pays for gas' }],
  }));
  form.fields = parameters.map(({ name, type }, index) => makeTypedField({
    id: 'tx-argument-' + index, label: name, type, about: describeType(type), choices: choices[index] }));
  byId('tx-fields').replaceChildren(...[...form.typeFields, ...form.fields].map((field) => field.row));
  if (form.typeFields.length + form.fields.length === 0) byId('tx-fields').replaceChildren(empty('It takes no arguments.'));
  byId('tx-module').replaceChildren('A function of ', element('a', { class: 'name', href: contractLink(module) }, ...breakable(short(module))), '.');
  byId('tx-part').hidden = false;
  showSame();
}

/** The choices for an argument of a type on this chain: { value, label }. */
async function choicesFor(type, signal) {
  const { name, inner } = readType(type);
  if (name === 'address') return funded.map((address, index) => ({ value: address, label: 'account ' + index + ' · ' + short(address) }));
  if (!OBJECTS.has(name) || !inner[0] || /\bT\d+\b/.test(inner[0])) return [];
  const page = await call(methodNamed('queryObjectStates'), JSON.stringify([{ object_type: inner[0] }, null, OBJECTS_OFFERED, { decode: true, descending: true }]), signal);
  return itemsOf(member(page, 'data')).map((item) => {
    const id = textAt(item, 'object_id') || textAt(item, 'id');
    const value = [member(item, 'decoded_value'), member(item, 'value')].find((each) => each && each.kind === 'object');
    return { value: id, label: [typeName(inner[0]).split('<')[0] + ' ' + short(id), ...(value ? [labelOf(value).slice(0, LABEL_LENGTH_MAX)] : [])].join(' · ') };
  });
}

/** A field for a type, below a list of choices; a single choice is filled in. */
function makeTypedField({ id, label, type, about, choices = [] }) {
  const { name, inner } = readType(type);
  const isLong = STRINGS.has(name) || (name === 'vector' && inner[0] !== 'u8');
  const input = name === 'bool'
    ? element('select', { id }, ['false', 'true'].map((value) => element('option', { value }, value)))
    : element(isLong ? 'textarea' : 'input', {
        id, rows: isLong ? '2' : undefined, type: isLong ? undefined : 'text',
        inputmode: /^u\d+$/.test(name) ? 'numeric' : undefined, spellcheck: 'false', autocomplete: 'off',
      });
  input.setAttribute('aria-describedby', id + '-help ' + id + '-trouble');
  input.addEventListener('input', showSame);
  const trouble = element('p', { class: 'trouble', id: id + '-trouble', hidden: true });
  const choose = choices.length === 0 ? undefined : element('select', { id: id + '-choice', 'aria-label': 'Choose ' + label, onchange: () => {
    if (choose.value !== '') input.value = choose.value;
    showSame();
  } }, element('option', { value: '' }, OBJECTS.has(name) ? 'Choose an object…' : name === 'address' ? 'Choose an account…' : 'Choose a type…'),
    choices.map(({ value, label: text }) => element('option', { value }, text)));
  if (choices.length === 1) input.value = choose.value = choices[0].value;
  const none = OBJECTS.has(name) && choices.length === 0 ? ' There is none on this chain yet.' : '';
  const row = element('div', { class: 'field' },
    element('label', { for: id }, label, element('code', { class: 'hint', title: shortName(type) }, typeName(type))), choose, input,
    element('p', { class: 'help', id: id + '-help' }, about[0].toUpperCase() + about.slice(1) + (about.endsWith('…') ? '' : '.') + none), trouble);
  return { input, row, type, trouble, label };
}

/** Whether a required field is empty. */
const isMissing = ({ input, type }) => input.value.trim() === '' && !STRINGS.has(readType(type).name) && readType(type).name !== '0x1::option::Option';

/** The value of a field by read, or undefined with its error shown. */
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

/** The call of the form: { account, call, gas } as JSON text; undefined, with the first wrong field in focus. */
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
async function viewParts(result) {
  const values = itemsOf(member(result, 'return_values'));
  const isExecuted = textAt(result, 'vm_status') === 'Executed';
  return [
    element('p', { class: 'outcome' }, badge(isExecuted, !isExecuted ? 'Failed' : values.length === 0 ? 'Returned nothing' : 'Returned')),
    ...(isExecuted ? [] : [failurePanel(readFailure(member(result, 'failure'), undefined, textAt(result, 'error_message')))]),
    ...values.map((each) => element('div', { class: 'returned' },
      element('p', { class: 'label' }, typeName(shortName(textAt(each, 'value', 'type_tag') || ''))), valueView(member(each, 'decoded_value')))),
    ...printParts(itemsOf(member(result, 'prints'))),
    wholeAnswer(result),
  ];
}

/** Sends, simulates or views the call of the form. */
async function submitForm(method) {
  const current = currentCall();
  if (current === undefined) return;
  const options = '{"max_gas_amount":' + current.gas + (method === 'dev_call' ? '' : ',"trace":true') + '}';
  const [params, show] = method === VIEW
    ? [[current.call], viewParts]
    : [[current.account, current.call, options], method === 'dev_call' ? receiptParts : simulationParts];
  const isShown = await fillPanel('tx-receipt', async (signal) =>
    show(await call(method === VIEW ? methodNamed(VIEW) : method, '[' + params.join(',') + ']', signal), signal), true);
  if (!isShown) return;
  const outcome = byId('tx-receipt').querySelector('.outcome');
  if (outcome) say(outcome.textContent);
  reveal('tx-answer');
}

/** The function, the type arguments and the sender, as written in the form. */
const written = () => ({
  name: form.module + '::' + form.chosen.name,
  types: form.typeFields.map(({ input }) => input.value.trim()),
  account: byId('tx-sender').value === ANOTHER ? byId('tx-another').value.trim() : byId('tx-sender').value,
});

/** The same as a command, which signs for the funded accounts and so works with any node. */
function shellCommand() {
  const quote = (word) => (/^[\w.:/@%+=-]+$/.test(word) ? word : "'" + word.replaceAll("'", "'\\''") + "'");
  const line = (words) => 'movelet ' + [...words, '--url', nodeUrl()].map(quote).join(' ');
  const { name, types, account } = written();
  if (!form.chosen.is_entry) {
    const json = ({ type, input }) => {
      try {
        return argumentJson(concreteType(type, types), input.value);
      } catch {
        // An invalid value is shown as written.
        return JSON.stringify(input.value);
      }
    };
    return line(['call', methodNamed(VIEW), '[{"function_id":' + JSON.stringify(name) + ',"ty_args":' + JSON.stringify(types) + ',"arguments":[' + form.fields.map(json).join(',') + ']}]']);
  }
  const gas = byId('tx-gas').value.trim();
  return line(['run', name, ...form.fields.map((field) => (isMissing(field) ? '<' + field.label + '>' : shellArgument(field.type, field.input.value))), ...types.flatMap((type) => ['--type-args', type]),
    ...(account === '' ? [] : ['--sender', account]), ...(gas === '' ? [] : ['--max-gas', gas])]);
}

/** The same for a program that has an engine. */
function programText() {
  const { name, types, account } = written();
  const values = form.fields.map((field) => (isMissing(field) ? field.label.replace(' ', '') : programArgument(concreteType(field.type, types), field.input.value)));
  const parts = ['function: ' + literal(name),
    ...(types.length > 0 ? ['typeArguments: [' + types.map(literal).join(', ') + ']'] : []),
    ...(values.length > 0 ? ['arguments: [' + values.join(', ') + ']'] : [])];
  const called = '{\n' + parts.map((part) => '  ' + part + ',\n').join('') + '}';
  return form.chosen.is_entry ? 'const receipt = await engine.executeAs(' + (account === '' ? 'sender' : literal(account)) + ', ' + called + ');' : 'const values = engine.view(' + called + ');';
}

const literal = (text) => "'" + text.replaceAll('\\', '\\\\').replaceAll("'", "\\'").replaceAll('\n', '\\n') + "'";

function programArgument(type, text) {
  const { name } = readType(type);
  const given = text.trim();
  if (/^u\d+$/.test(name) && /^\d+$/.test(given)) return given + 'n';
  if (name === 'bool') return given;
  if (name === '0x1::option::Option' && isNone(text)) return 'null';
  return name === 'vector' && given.startsWith('[') ? given : literal(STRINGS.has(name) ? text : given);
}

/** Shows the call of the form as a command and as a program. */
function showSame() {
  if (!form.chosen) return;
  byId('tx-command').textContent = shellCommand();
  byId('tx-program').textContent = programText();
}

function startSender() {
  byId('tx-sender').addEventListener('change', () => {
    byId('tx-another-row').hidden = byId('tx-sender').value !== ANOTHER;
    showSame();
  });
  for (const id of ['tx-another', 'tx-gas']) byId(id).addEventListener('input', showSame);
  onSubmit('tx-form', () => {
    if (!form.chosen.is_entry) submitForm(VIEW);
    else if (!byId('tx-send').disabled) submitForm('dev_call');
  });
  onCtrlEnter('tx-form', () => byId('tx-form').requestSubmit());
  byId('tx-try').addEventListener('click', () => submitForm('dev_simulate'));
  byId('tx-command-copy').append(copyButton('Copy as command', shellCommand));
  byId('tx-program-copy').append(copyButton('Copy as TypeScript', programText));
}
`;
