import { h, safeUrl } from '../dom.js';
import { icon } from '../icons.js';
import { confirmDialog } from '../parts/dialog.js';
import { plain, textObject } from './text.js';

/** Shows the element's confirmation dialog (`confirm`), if it has one; resolves to whether to continue. */
export async function agreed(element) {
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

export function button(element, tool) {
  const url = safeUrl(element.url);
  return h(
    'button',
    {
      class: `block-button ${['primary', 'danger'].includes(element.style) ? element.style : ''}`,
      data: { key: tool.key },
      'aria-label': element.accessibility_label,
      onclick: (event) => press(event.currentTarget, element, tool, url),
    },
    textObject(element.text),
    url && h('span.block-out', { 'aria-hidden': 'true' }, '↗'),
  );
}

async function press(node, element, tool, url) {
  if (!(await agreed(element))) return;
  if (url) window.open(url, '_blank', 'noreferrer,noopener');
  await busy(node, tool.tell(element.value));
}

/** Shows that a request is in progress and ignores a second press. */
async function busy(node, work) {
  node.setAttribute('aria-busy', 'true');
  node.disabled = true;
  try {
    await work;
  } finally {
    node.disabled = false;
    node.removeAttribute('aria-busy');
  }
}

export function iconButton(element, tool) {
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

export function feedback(element, tool) {
  return [element.positive_button, element.negative_button].filter(Boolean).map((each) =>
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
