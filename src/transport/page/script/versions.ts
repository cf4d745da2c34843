/**
 * The versions of an object: which transactions changed it, and from what to what.
 * @module
 */
export const versions: string = `
/** A line that opens to the versions of an object, the newest first. */
function versionsCard(id) {
  const section = () => pagedSection({
    title: 'Versions',
    method: 'syncStates',
    // Change sets are found by the object at the top, whose fields and children may be meant.
    params: (cursor) => '[' + JSON.stringify({ object_i_d: id.slice(0, 66) }) + ',' + cursor + ',"' + PAGE_ITEMS + '",{"descending":true}]',
    areCards: true,
    none: 'No transaction that this node keeps changed it.',
    keep: (item) => changeIn(itemsOf(member(member(item, 'state_change_set'), 'changes')), id) !== undefined,
    row: (item) => [versionCard(id, textAt(item, 'tx_order'), changeIn(itemsOf(member(member(item, 'state_change_set'), 'changes')), id))],
  });
  return openingCard({
    title: 'History',
    facts: [element('span', { class: 'hint' }, 'who changed it, and from what to what')],
    isPlain: true,
    fill: () => section() || element('p', { class: 'hint' }, 'This node does not tell what changed an object.'),
  });
}

/** The change of an object among changes, or among those of the fields that lead to it. */
function changeIn(changes, id) {
  for (const each of changes) {
    const at = textAt(each, 'metadata', 'id');
    if (at === id) return each;
    if (at && id.startsWith(at)) return changeIn(itemsOf(member(each, 'fields')), id);
  }
  return undefined;
}

function versionCard(id, order, changed) {
  const fields = itemsOf(member(changed, 'fields'));
  return openingCard({
    title: 'order ' + order,
    facts: [element('span', {}, changeWord(member(changed, 'value'))),
      ...(fields.length > 0 ? [element('span', { class: 'hint' }, fields.length + (fields.length === 1 ? ' field' : ' fields') + ' within')] : [])],
    links: [element('a', { href: transactionLink(order) }, 'transaction ' + order)],
    isPlain: true,
    fill: async () => {
      const [item, details] = await Promise.all([findTransaction(order), changeDetails(id, order, fields)]);
      return [...(item ? [element('p', {}, ...authorOf(readTransaction(item)))] : []), ...details];
    },
  });
}

/** Whose transaction it was, and what that did. */
function authorOf(read) {
  const sender = textAt(read.data, 'sender');
  return ['by ', linkTo(read.called && sendLink(read.called), whatItDoes(read)),
    ...(sender ? [' of ', element('a', { href: accountLink(sender) }, short(sender))] : [])];
}
`;
