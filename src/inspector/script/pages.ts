/**
 * Lists that are read page by page.
 * @module
 */
export const pages: string = `
const PAGE_ITEMS = '10';

/**
 * A heading, a list, and a button for its next page. params(cursor) makes the JSON text of the parameters, row(item) the
 * elements of an item; areCards: each item is one card; keep(item) leaves out items. Nothing where the node has no such method.
 */
function pagedSection({ title, method, params, row, areCards, keep = () => true, none = 'None.' }) {
  const name = methodNamed(method);
  if (!isOffered(name)) return undefined;
  const list = element('ol', { class: areCards ? 'cards' : 'rows', 'aria-label': title, tabindex: '-1' });
  const end = element('div', {});
  const more = element('button', { type: 'button', onclick: () => read(list.childElementCount) }, 'More');
  let cursor = 'null';
  const read = async (count) => {
    end.setAttribute('aria-busy', 'true');
    try {
      const page = await call(name, params(cursor));
      list.append(...itemsOf(member(page, 'data')).filter(keep).map((item) => element('li', {}, ...row(item).filter(Boolean))));
      cursor = writeJson(member(page, 'next_cursor'));
      const hasMore = textAt(page, 'has_next_page') === 'true';
      end.replaceChildren(...(hasMore ? [more] : list.hasChildNodes() ? [] : [element('p', { class: 'hint' }, none)]));
      // Whoever asked for more by the keyboard goes on from the first of it.
      if (count > 0 && list.children[count]) (list.children[count].querySelector('a, summary') || list).focus();
    } catch (failure) {
      end.replaceChildren(failureBox(failure));
    }
    end.removeAttribute('aria-busy');
  };
  read(0);
  return element('section', {}, element('h3', {}, title), list, end);
}
`;
