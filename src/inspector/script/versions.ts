/**
 * The versions of an object: which transactions changed it, and from what to what.
 * @module
 */
export const versions: string = `
/** A line that opens to the versions of an object, the newest first. */
function versionsCard(id) {
  return openingCard({
    title: 'History',
    facts: [element('span', { class: 'hint' }, 'who changed it, and from what to what')],
    isPlain: true,
    fill: () => pagedSection({
      title: 'Versions',
      method: 'getHistory',
      params: (cursor) => '[' + JSON.stringify(id) + ',' + cursor + ',"' + PAGE_ITEMS + '",{"descending":true}]',
      areCards: true,
      none: 'No transaction that this node keeps changed it.',
      row: (item) => [versionCard(item)],
    }) || element('p', { class: 'hint' }, 'This node does not tell what changed an object.'),
  });
}

const KINDS = { fields: 'its fields changed' };

function versionCard(item) {
  const order = textAt(item, 'tx_order');
  const changed = member(item, 'change');
  const kind = textAt(changed, 'kind');
  const fields = itemsOf(member(item, 'fields'));
  return openingCard({
    title: 'order ' + order,
    facts: [element('span', {}, KINDS[kind] || kind),
      ...(fields.length > 0 ? [element('span', { class: 'hint' }, fields.length + (fields.length === 1 ? ' field' : ' fields') + ' within')] : [])],
    links: [element('a', { href: transactionLink(order) }, 'transaction ' + order)],
    isPlain: true,
    fill: async () => {
      const found = await findTransaction(order);
      return [
        ...(found ? [element('p', {}, ...authorOf(readTransaction(found)))] : []),
        changedTable(changed),
        ...fields.map(changedFieldCard),
        ...(textAt(item, 'has_more_fields') === 'true' ? [element('p', { class: 'hint' }, 'More fields changed; the transaction has all of them.')] : []),
      ];
    },
  });
}

/** Whose transaction it was, and what that did. */
function authorOf(read) {
  const sender = textAt(read.data, 'sender');
  return ['by ', linkTo(read.called && sendLink(read.called), whatItDoes(read)),
    ...(sender ? [' of ', element('a', { href: accountLink(sender) }, short(sender))] : [])];
}

/** What differs within a change: its members, or all of the one side that there is. */
function changedTable(changed) {
  const side = (node) => (node && node.kind !== 'null' ? bareValue(node) : undefined);
  const members = itemsOf(member(changed, 'members')).map((each) => ({
    path: textAt(each, 'path'), before: side(member(each, 'before')), after: side(member(each, 'after')) }));
  return differenceTable(members.length > 0 ? members : differences(side(member(changed, 'before')), side(member(changed, 'after')), ''));
}

function changedFieldCard(changed) {
  const id = textAt(changed, 'object_id');
  const type = textAt(changed, 'object_type') || 'field';
  const field = DYNAMIC_FIELD.exec(type);
  return openingCard({
    title: short(shortName(field ? field[2] : type)),
    facts: [element('span', {}, textAt(changed, 'kind') + (field ? ' field' : ''))],
    links: [id && element('a', { href: objectLink(id) }, short(id))],
    isPlain: true,
    fill: () => changedTable(changed),
  });
}
`;
