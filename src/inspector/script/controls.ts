/**
 * The controls of a test node: time, balances, Bitcoin blocks, snapshots, each with its outcome in words.
 * @module
 */
export const controls: string = String.raw`
const CONTROLS = { time: 'dev_time', fund: 'dev_fund', mine: 'dev_mine', snapshot: 'dev_snapshot', reset: 'dev_reset' };
const BLOCKS_AT_ONCE_MAX = 100;

/** Snapshots taken on this page: { id, order }. The node keeps them but does not list them. */
let snapshots = [];

const offersControls = () => Object.values(CONTROLS).some(isOffered);

async function showControlsView() {
  for (const [name, method] of Object.entries(CONTROLS)) byId('dev-' + name + '-part').hidden = !isOffered(method);
  byId('dev-off').hidden = methods.length === 0 || offersControls();
  byId('dev-outcome').replaceChildren();
  showSnapshots();
  showNow();
  await loadFunded().catch(() => {});
  for (const id of ['dev-fund-choice', 'dev-mine-choice']) {
    byId(id).replaceChildren(element('option', { value: '' }, 'another…'), ...accountOptions());
    if (funded.length > 0) byId(id).value = funded[0];
    chooseAccount(id);
  }
}

const accountOptions = () => funded.map((address, index) => element('option', { value: address }, 'account ' + index));

/** Shows the address field beside a choice of accounts if another account is chosen. */
const chooseAccount = (id) => {
  byId(id.replace('-choice', '-another')).hidden = byId(id).value !== '';
};

/** The chain's time, readable and exact, and whether it runs. */
function showNow() {
  if (isOffered(CONTROLS.time)) fillPanel('dev-now', async (signal) => {
    const clock = await readClock(signal);
    return [element('p', { class: 'now' }, element('strong', {}, momentText(clock.now)), ' ', hint(clock.now + ' ms')), element('p', { class: 'help' }, clockWords(clock))];
  });
}

const CLOCK_SAMPLE_MS = 60;
const CLOCK_DRIFT_MS = 60000;

/** The chain's time, and whether it runs: read twice, with a pause. */
async function readClock(signal) {
  const read = async () => textAt(await call('dev_time', '[]', signal), 'now');
  const first = await read();
  await new Promise((resolve) => setTimeout(resolve, CLOCK_SAMPLE_MS));
  const now = await read();
  return { now, isRunning: now !== first, ahead: Number(now) - Date.now() };
}

function clockWords({ isRunning, ahead }) {
  if (!isRunning) return 'It stands still: only the controls and Bitcoin blocks move it.';
  const distance = ageText(0, Math.abs(ahead)).replace(' ago', '');
  return Math.abs(ahead) < CLOCK_DRIFT_MS ? 'It runs with the clock of this computer.' : 'It runs, ' + distance + (ahead > 0 ? ' ahead of' : ' behind') + ' the clock of this computer.';
}

/** Runs work() when a form is sent, and shows the result; a form is not sent again before that. */
function control(id, work) {
  const button = byId(id).querySelector('button[type=submit]');
  onSubmit(id, async () => {
    if (button.disabled) return;
    button.disabled = true;
    const outcome = byId('dev-outcome');
    try {
      const parts = await work();
      outcome.replaceChildren(element('p', { class: 'done' }, badge(true, 'Done'), ' ', ...parts));
      showNow();
      renewChip();
    } catch (failure) {
      outcome.replaceChildren(failureBox(failure));
    }
    button.disabled = false;
    // A disabled button loses the focus.
    button.focus();
  });
}

async function advanceTime() {
  const milliseconds = BigInt(JSON.parse(integerJson(byId('dev-advance-by').value.trim(), 32))) * BigInt(byId('dev-advance-unit').value);
  return timeSentence(await call('dev_advanceTime', JSON.stringify([String(milliseconds)])));
}

/** The field has a time without a zone, which means UTC. */
async function setTime() {
  const milliseconds = Date.parse(byId('dev-set-to').value + 'Z');
  if (Number.isNaN(milliseconds)) throw new Error('Expected a date and a time.');
  return timeSentence(await call('dev_setTime', JSON.stringify([String(milliseconds)])));
}

const timeSentence = (answer) => ['The time is ' + momentText(textAt(answer, 'now')) + '.'];

const chosenAccount = (name) => byId(name + '-choice').value || byId(name + '-to').value.trim();

async function mineBlocks() {
  const to = chosenAccount('dev-mine');
  const count = Number(JSON.parse(integerJson(byId('dev-mine-count').value.trim(), 16)));
  if (count < 1 || count > BLOCKS_AT_ONCE_MAX) throw new Error('Expected 1 to ' + BLOCKS_AT_ONCE_MAX + ' blocks.');
  const address = await bitcoinAddressOf(to);
  let block;
  for (let mined = 0; mined < count; mined++) block = await call('dev_mine', JSON.stringify([address === '' ? null : { to: address }]));
  const order = await headOrder();
  return ['Mined ' + countText(count, 'block') + ', up to height ' + textAt(block, 'height') + '; the newest transaction is ',
    element('a', { href: transactionLink(order) }, String(order)), '.'];
}

/** The Bitcoin address of a funded account; any other is one already. */
async function bitcoinAddressOf(address) {
  if (!funded.includes(address)) return address;
  const accounts = itemsOf(await call('dev_accounts', '[]'));
  return textAt(accounts.find((account) => textAt(account, 'address') === address), 'bitcoin_address');
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
      element('button', { type: 'submit' }, 'Go to snapshot ' + id), hint('order ' + order));
    return element('li', {}, form);
  }));
  for (const { id } of snapshots) control('dev-revert-' + id, async () => {
    await call('dev_revert', JSON.stringify([id]));
    return ['The chain is at snapshot ' + id + ', order ' + (await headOrder()) + '.'];
  });
}

async function resetChain() {
  await call('dev_reset', '[]');
  return ['The chain is as it began, at order ' + (await headOrder()) + '.'];
}

/** A decimal number of coins in the smallest unit. */
function unitsOf(text, decimals) {
  const found = /^(\d{1,60})(?:\.(\d+))?$/.exec(text.trim().replaceAll(',', ''));
  const fraction = (found && found[2]) || '';
  if (!found || fraction.length > decimals) throw new Error('Expected an amount with at most ' + decimals + ' digits after the point.');
  return String(BigInt(found[1] + fraction.padEnd(decimals, '0')));
}

async function fundAccount() {
  const [account, type] = [chosenAccount('dev-fund'), byId('dev-fund-coin').value.trim()];
  const coin = await coinOf(type);
  const params = JSON.stringify([account, type, unitsOf(byId('dev-fund-amount').value, coin.decimals)]);
  const balance = await call('dev_fund', params);
  return [accountTag(account), ' has ' + amountText(textAt(balance, 'balance'), coin) + ' now.'];
}

function startControls() {
  control('dev-advance', advanceTime);
  control('dev-set', setTime);
  control('dev-mine', mineBlocks);
  control('dev-snapshot', takeSnapshot);
  control('dev-fund', fundAccount);
  control('dev-reset', resetChain);
  for (const id of ['dev-fund-choice', 'dev-mine-choice']) byId(id).addEventListener('change', () => chooseAccount(id));
}
`;
