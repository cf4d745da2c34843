/**
 * Contracts: those published on this chain and the framework; the modules of an account; a module with its functions,
 * structs and code.
 * @module
 */
export const contract: string = `
/** Promises of ABIs by module, for the current view. */
const abis = new Map();

/** The ABI of the module of a name, as a plain object, with the named function as wanted; undefined if it does not exist. */
async function abiOf(name, signal) {
  const [address, module, wanted] = name.split('::');
  const key = address + '::' + module;
  if (!abis.has(key)) abis.set(key, call(methodNamed('getModuleABI'), JSON.stringify([address, module]), signal));
  try {
    const abi = await abis.get(key);
    if (abi.kind === 'null') return undefined;
    const plain = toPlain(abi);
    return { ...plain, wanted: (plain.functions || []).find((each) => each.name === wanted) };
  } catch (failure) {
    abis.delete(key);
    throw failure;
  }
}

/** The parameters of a function of an ABI: { name, type }. Without source they are numbered. */
function parametersOf(abi) {
  const { wanted } = abi || {};
  if (!wanted) return [];
  let count = 0;
  return wanted.params.map((type, index) => ({
    type, name: isSigner(type) ? 'signer' : (wanted.param_names && wanted.param_names[index]) || 'argument ' + (count++) }));
}

const PACKAGES_SHOWN = 50;
const MODULES_SHOWN = 200;

/** The names of the modules of an account, sorted. */
async function modulesOf(address, signal) {
  const result = await call(methodNamed('listStates'), JSON.stringify(['/module/' + address, null, String(MODULES_SHOWN), { decode: true }]), signal);
  return itemsOf(member(result, 'data')).map((item) => textAt(member(item, 'state') || item, 'decoded_value', 'value', 'name')).filter(Boolean).sort();
}

/** The packages published on this chain, newest first: { address, version, order, modules }. */
async function publishedHere(signal) {
  const filter = { object_type: '0x2::module_store::Package' };
  const page = await call(methodNamed('queryObjectStates'), JSON.stringify([filter, null, String(PACKAGES_SHOWN), { decode: true, descending: true }]), signal);
  const packages = itemsOf(member(page, 'data')).map((item) => ({
    address: textAt(item, 'owner'), order: textAt(item, 'tx_order'),
    version: textAt(item, 'value', 'value', 'version') || textAt(item, 'decoded_value', 'value', 'version'),
  })).filter(({ address }) => address && !isFramework(address) && !isNobody(address));
  return Promise.all(packages.map(async (one) => ({ ...one, modules: await modulesOf(one.address, signal) })));
}

const moduleTag = (address, name) => element('a', { class: 'name', href: contractLink(address + '::' + name), title: address + '::' + name }, name);

/** The published packages as a table, or how to publish. */
function publishedTable(packages) {
  if (packages.length === 0) return howToPublish();
  return table(['Contract', 'Publisher', 'Version', 'Since'], packages.map(({ address, version, order, modules }) => [
    element('span', { class: 'names' }, modules.map((name) => moduleTag(address, name))), accountTag(address), version || '',
    element('a', { href: transactionLink(order), 'aria-label': 'Transaction ' + order }, '#' + order)]), { label: 'Contracts published here' });
}

const howToPublish = () => inside ? [empty('No contract was published on this chain yet. ', element('a', { href: '#/code' }, 'Publish one'), '.')] : [
  empty('No contract was published on this chain yet. Publish the folder of a Move package:'),
  commandLine('movelet publish FOLDER --url ' + nodeUrl()),
];

/** A command or code to copy. */
const commandLine = (text) => element('div', { class: 'command' }, element('pre', { class: 'code', tabindex: '0' }, text), copyButton('Copy', () => text));

/** Shows all contracts, the modules of an account, a module, or the form of a function. */
async function showContract(name) {
  const [address, module, wanted] = name.split('::');
  byId('contract-title').textContent = wanted ? module + '::' + wanted : module || (address ? 'Contracts of ' + (accountName(address) || short(address)) : 'Contracts');
  byId('contract-name').textContent = module ? [address, module, wanted].filter(Boolean).join('::') : '';
  byId('tx-part').hidden = true;
  clearPanel('tx-receipt');
  await fillPanel('contract', async (signal) => {
    await loadFunded(signal).catch(() => {});
    if (!address) return allContracts(signal);
    if (!module) return accountContracts(address, signal);
    const abi = await abiOf(name, signal);
    if (abi === undefined) return [empty('There is no module ', element('code', {}, module), ' at ', accountTag(address), '. It has ', element('a', { href: contractLink(address) }, 'these'), '.')];
    if (!wanted) return moduleParts(address, abi);
    if (abi.wanted === undefined || !isCallable(abi.wanted)) {
      return [empty('The module has no function ', element('code', {}, wanted), ' that can be called. It has:'), ...moduleParts(address, abi)];
    }
    await showForm(address + '::' + module, abi, signal);
    return [];
  }, true);
}

async function allContracts(signal) {
  const packages = await publishedHere(signal);
  const framework = [...FRAMEWORK].map(([digit, name]) => openingCard({
    title: name, facts: [hint('0x' + digit)], isPlain: true, fill: () => modulesOf('0x' + digit).then((modules) => moduleNames('0x' + digit, modules)) }));
  return [
    panel('Published here', packages.length === 0 ? undefined : String(packages.length), publishedTable(packages)),
    panel('Often called', undefined, element('ul', { class: 'names' },
      ['0x3::transfer::transfer_coin', '0x3::transfer::transfer_object', '0x3::account_coin_store::balance'].map((name) => element('li', {}, functionTag(name))))),
    panel('The framework', 'on every chain', framework),
  ];
}

async function accountContracts(address, signal) {
  const modules = await modulesOf(address, signal);
  return modules.length === 0
    ? [empty(accountTag(address), ' has published no contract.'), ...(isFramework(address) ? [] : howToPublish())]
    : [panel('Modules', String(modules.length), moduleNames(address, modules))];
}

const moduleNames = (address, modules) => element('ul', { class: 'names' }, modules.map((name) => element('li', {}, moduleTag(address, name))));

/** A function with a signer cannot be viewed: a view has no sender. */
const isCallable = (each) => each.is_entry || !each.params.some(isSigner);

/** A module: its functions as tables, entry functions first, its structs and its code. */
function moduleParts(address, abi) {
  const name = shortName(address + '::' + abi.name);
  const entries = abi.functions.filter((each) => each.is_entry);
  const views = abi.functions.filter((each) => !each.is_entry && isCallable(each));
  const rest = abi.functions.filter((each) => !isCallable(each));
  const none = abi.functions.length === 0 ? [empty('The module has no public functions.')] : [];
  return [
    element('p', { class: 'tools' }, hint('published by'), accountTag(address)),
    ...none,
    functionsPanel('Send', 'entry functions: a transaction calls them', name, abi, entries, 'Call'),
    functionsPanel('View', 'public functions: read without a transaction', name, abi, views, 'View'),
    functionsPanel('For other modules', 'they take a signer or give a reference', name, abi, rest),
    structsPanel(abi),
    openingCard({ title: 'Bytecode', facts: [hint('disassembled')], isPlain: true, fill: () => disassembled(address, abi.name) }),
    openingCard({ title: 'Raw', facts: [hint('the ABI, and the state of the module')], isPlain: true, fill: async () => [
      element('p', {}, element('a', { href: stateLink('/module/' + address + '/' + abi.name) }, 'Its state')),
      element('div', { class: 'code' }, jsonTree(await call(methodNamed('getModuleABI'), JSON.stringify([address, abi.name])), linkOf))] }),
  ].filter(Boolean);
}

function functionsPanel(title, note, module, abi, functions, verb) {
  if (functions.length === 0) return undefined;
  const rows = functions.map((each) => {
    const parameters = parametersOf({ ...abi, wanted: each }).filter(({ type }) => !isSigner(type));
    const types = each.type_params.length === 0 ? '' : '<' + each.type_params.map((_, index) => 'T' + index).join(', ') + '>';
    return [
      verb ? element('a', { class: 'name', href: contractLink(module + '::' + each.name) }, each.name + types) : element('span', { class: 'name' }, each.name + types),
      parameters.length === 0 ? hint('none') : element('span', {}, parameters.map(({ name, type }) => element('span', { class: 'parameter' }, name + ' ', element('span', { class: 'hint' }, typeTag(type))))),
      each.return.length === 0 ? hint('nothing') : each.return.map((type) => typeTag(type)),
      ...(verb ? [element('a', { class: 'button', href: contractLink(module + '::' + each.name), 'aria-label': verb + ' ' + each.name }, verb)] : []),
    ];
  });
  return panel(title, note, table(['Function', 'Parameters', 'Returns', ...(verb ? [''] : [])], rows, { class: 'functions', label: title }));
}

function structsPanel({ structs = [] }) {
  if (structs.length === 0) return undefined;
  return panel('Structs', String(structs.length), structs.map((each) => openingCard({
    title: each.name, facts: [hint(each.abilities.join(', ') || 'no abilities')], isPlain: true,
    fill: () => (each.fields.length === 0 ? empty('It has no fields that can be seen.') : factsList(each.fields.map(({ name, type }) => [name, typeTag(type)]), { class: 'facts-list values' })) })));
}

async function disassembled(address, name) {
  const text = textAt(await call(methodNamed('disassembleModule'), JSON.stringify([address, name])));
  if (text === undefined) return empty('There is no module ' + name + ' any more.');
  return [element('p', { class: 'tools' }, copyButton('Copy', () => text)), element('pre', { class: 'trace', tabindex: '0' }, text)];
}
`;
