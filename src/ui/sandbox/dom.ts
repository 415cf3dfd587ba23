/** What an element may contain; `false`, `null` and `undefined` draw nothing. */
export type Child = Node | string | number | false | null | undefined | readonly Child[];

type Named<T extends string> = T extends keyof HTMLElementTagNameMap ? HTMLElementTagNameMap[T] : HTMLElement;
type ElementOf<S extends string> = S extends `${infer T}.${string}` ? Named<T> : Named<S>;

/** An event at the element that listens to it. */
type At<Element, Kind extends keyof HTMLElementEventMap> = HTMLElementEventMap[Kind] & {
  currentTarget: Element;
};
type Listened = 'change' | 'click' | 'input' | 'keydown' | 'pointerdown' | 'submit';
type Listeners<Element> = {
  [Kind in Listened as `on${Kind}`]?: ((event: At<Element, Kind>) => unknown) | undefined;
};
type Attribute =
  | `aria-${string}`
  | ('accept' | 'alt' | 'autocomplete' | 'autofocus' | 'checked' | 'class' | 'datetime' | 'disabled' | 'for')
  | ('height' | 'hidden' | 'href' | 'id' | 'inputmode' | 'loading' | 'max' | 'maxlength' | 'min' | 'multiple')
  | (
      | 'name'
      | 'novalidate'
      | 'open'
      | 'placeholder'
      | 'popover'
      | 'rel'
      | 'role'
      | 'rows'
      | 'scope'
      | 'selected'
    )
  | ('spellcheck' | 'src' | 'start' | 'step' | 'tabindex' | 'target' | 'title' | 'type' | 'value' | 'width');
type Properties<Element> = Listeners<Element> & {
  [Name in Attribute]?: string | number | boolean | null | undefined;
} & { data?: Record<string, string | undefined> };

/**
 * Creates an element: `h('button.plain', { onclick }, 'Send')`. Classes may follow the tag; properties are
 * optional; a button does not submit unless its `type` says so. Text becomes text nodes only, so user text
 * never becomes markup. `on…` properties are listeners, `data` becomes data attributes, the rest attributes
 * (`false` and `null` omit one).
 */
export function h<S extends string>(
  selector: S,
  properties: Properties<ElementOf<S>>,
  ...children: Child[]
): ElementOf<S>;
export function h<S extends string>(selector: S, ...children: Child[]): ElementOf<S>;
export function h(
  selector: string,
  first?: Properties<HTMLElement> | Child,
  ...children: Child[]
): HTMLElement {
  const [tag = '', ...classes] = selector.split('.');
  const element = document.createElement(tag);
  if (element instanceof HTMLButtonElement) element.type = 'button';
  const properties = isProperties(first) ? first : {};
  for (const [name, value] of Object.entries(properties)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function')
      element.addEventListener(name.slice('on'.length), value as unknown as EventListener);
    else if (typeof value === 'object') {
      for (const [key, each] of Object.entries(value)) if (each !== undefined) element.dataset[key] = each;
    } else if (name === 'value') Object.assign(element, { value });
    else element.setAttribute(name, value === true ? '' : String(value));
  }
  element.classList.add(...classes);
  append(element, isProperties(first) ? children : [first, ...children]);
  return element;
}

function isProperties(
  value: object | string | number | false | null | undefined,
): value is Properties<HTMLElement> {
  return typeof value === 'object' && value !== null && value.constructor === Object;
}

export function append(parent: Element, child: Child): void {
  if (child === undefined || child === null || child === false) return;
  if (typeof child !== 'object') parent.append(String(child));
  else if (child instanceof Node) parent.append(child);
  else for (const each of child) append(parent, each);
}

/** Replaces the children of `parent` with `next`, keeping elements that are in both. */
export function replaceChildren(parent: Element, next: readonly (Element | undefined)[]): void {
  const wanted = next.filter((child) => child !== undefined);
  wanted.forEach((child, index) => {
    const present = parent.childNodes[index];
    if (present === child) return;
    if (child.parentNode === parent) parent.insertBefore(child, present ?? null);
    else if (present && !wanted.some((other) => other === present)) parent.replaceChild(child, present);
    else parent.insertBefore(child, present ?? null);
  });
  while (parent.childNodes.length > wanted.length) parent.lastChild?.remove();
}

/** What the page is made to have; throws an error if it is not there. */
export function present<T>(value: T | null | undefined): T {
  if (value === null || value === undefined) throw new Error('a part of the page is missing');
  return value;
}

/** An element of the page's own HTML. */
export function part(id: string): HTMLElement {
  return present(document.getElementById(id));
}

export function focused(): HTMLElement | undefined {
  return document.activeElement instanceof HTMLElement ? document.activeElement : undefined;
}

const isTextBox = (element: unknown) =>
  element instanceof HTMLInputElement || element instanceof HTMLTextAreaElement;

/** Remembers the focused element in `within` by its key, to restore the focus after a redraw. */
export function keptFocus(within: Element): () => void {
  const held = within.contains(document.activeElement) ? focused() : undefined;
  const key = held?.dataset['key'];
  const { selectionStart: from, selectionEnd: to } = isTextBox(held)
    ? held
    : { selectionStart: null, selectionEnd: null };
  return () => {
    if (key === undefined || within.contains(document.activeElement)) return;
    const again = within.querySelector<HTMLElement>(`[data-key="${CSS.escape(key)}"]`);
    again?.focus({ preventScroll: true });
    if (from !== null && isTextBox(again) && again.selectionStart !== null) again.setSelectionRange(from, to);
  };
}

/** Only http(s), mail and telephone addresses become links. */
export function safeUrl(url: string | undefined): string | undefined {
  return typeof url === 'string' && /^(https?:|mailto:|tel:)/i.test(url) ? url : undefined;
}
