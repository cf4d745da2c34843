/**
 * The controls of a test node: its time, blocks, snapshots, coins. Only those that the node offers are shown.
 * @module
 */
export const controls: string = `
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
