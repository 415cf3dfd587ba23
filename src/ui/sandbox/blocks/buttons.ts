import { h, safeUrl } from '../dom.ts';
import { icon } from '../icons.ts';
import { confirmDialog } from '../parts/dialog.ts';
import type { BlockElement } from '../types.ts';
import type { Tool } from './surface.ts';
import { plain, textObject } from './text.ts';

/** Shows the element's confirmation dialog (`confirm`), if it has one; resolves to whether to continue. */
export async function agreed(element: BlockElement): Promise<boolean> {
  const { confirm } = element;
  if (!confirm) return true;
  return confirmDialog({
    title: plain(confirm.title) || 'Are you sure?',
    text: textObject(confirm.text),
    confirm: plain(confirm.confirm) || 'Yes',
    deny: plain(confirm.deny) || 'No',
    style: confirm.style,
  });
}

export function button(element: BlockElement, tool: Tool): HTMLElement {
  const url = safeUrl(element.url);
  return h(
    'button',
    {
      class: `block-button ${['primary', 'danger'].find((style) => style === element.style) ?? ''}`,
      data: { key: tool.key },
      'aria-label': element.accessibility_label,
      onclick: (event) => press(event.currentTarget, element, tool, url),
    },
    textObject(element.text),
    url && h('span.block-out', { 'aria-hidden': 'true' }, '↗'),
  );
}

async function press(
  node: HTMLButtonElement,
  element: BlockElement,
  tool: Tool,
  url?: string,
): Promise<void> {
  if (!(await agreed(element))) return;
  if (url) window.open(url, '_blank', 'noreferrer,noopener');
  await busy(node, tool.tell(element.value));
}

/** Shows that a request is in progress and ignores a second press. */
async function busy(node: HTMLButtonElement, work: Promise<unknown> | undefined): Promise<void> {
  node.setAttribute('aria-busy', 'true');
  node.disabled = true;
  try {
    await work;
  } finally {
    node.disabled = false;
    node.removeAttribute('aria-busy');
  }
}

export function iconButton(element: BlockElement, tool: Tool): HTMLElement {
  const label = plain(element.text) || 'Action';
  return h(
    'button.block-button',
    {
      title: label,
      'aria-label': label,
      data: { key: tool.key },
      onclick: (event) => press(event.currentTarget, element, tool),
    },
    element.icon === 'trash' ? icon('remove') : label,
  );
}

export function feedback(element: BlockElement, tool: Tool): HTMLElement[] {
  const { positive_button: positive, negative_button: negative } = element;
  return [positive, negative]
    .filter((each) => each !== undefined)
    .map((each) =>
      h(
        'button.block-button',
        {
          'aria-label': each.accessibility_label,
          data: { key: `${tool.key} ${each.value}` },
          onclick: (event) => busy(event.currentTarget, tool.tell(each.value)),
        },
        textObject(each.text),
      ),
    );
}
