/**
 * Creates an element: `h('button.plain', { onclick }, 'Send')`. Classes may follow the tag; properties are
 * optional; a button does not submit unless its `type` says so. Text becomes text nodes only, so user text
 * never becomes markup. `on…` properties are listeners, `data` becomes data attributes, the rest attributes
 * (`false` and `null` omit one).
 */
export function h(selector, ...rest) {
  const [tag, ...classes] = selector.split('.');
  const element = document.createElement(tag);
  if (tag === 'button') element.type = 'button';
  const hasProps = rest[0]?.constructor === Object;
  for (const [name, value] of Object.entries(hasProps ? rest.shift() : {})) {
    if (value === undefined || value === null || value === false) continue;
    if (name.startsWith('on')) element.addEventListener(name.slice(2).toLowerCase(), value);
    else if (name === 'data') {
      for (const [key, each] of Object.entries(value)) if (each !== undefined) element.dataset[key] = each;
    } else if (name === 'value') element.value = value;
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.classList.add(...classes);
  append(element, rest);
  return element;
}

export function append(parent, children) {
  for (const child of [children].flat(Infinity)) {
    if (child === undefined || child === null || child === false) continue;
    parent.append(child instanceof Node ? child : document.createTextNode(String(child)));
  }
}

/** Replaces the children of `parent` with `next`, keeping elements that are in both. */
export function replaceChildren(parent, next) {
  const wanted = next.filter(Boolean);
  wanted.forEach((child, index) => {
    const present = parent.childNodes[index];
    if (present === child) return;
    if (child.parentNode === parent) parent.insertBefore(child, present ?? null);
    else if (present && !wanted.includes(present)) parent.replaceChild(child, present);
    else parent.insertBefore(child, present ?? null);
  });
  while (parent.childNodes.length > wanted.length) parent.lastChild.remove();
}

/** Remembers the focused element in `within` by its key, to restore the focus after a redraw. */
export function keptFocus(within) {
  const held = within.contains(document.activeElement) ? document.activeElement : undefined;
  const { key } = held?.dataset ?? {};
  const selection = typeof held?.selectionStart === 'number' ? [held.selectionStart, held.selectionEnd] : [];
  return () => {
    if (key === undefined || within.contains(document.activeElement)) return;
    const again = within.querySelector(`[data-key="${CSS.escape(key)}"]`);
    again?.focus({ preventScroll: true });
    if (selection.length === 2 && typeof again?.selectionStart === 'number')
      again.setSelectionRange(...selection);
  };
}

/** Only http(s), mail and telephone addresses become links. */
export function safeUrl(url) {
  return typeof url === 'string' && /^(https?:|mailto:|tel:)/i.test(url) ? url : undefined;
}
