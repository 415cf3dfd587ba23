import { append, type Child, focused, h } from '../dom.ts';
import { icon } from '../icons.ts';

let titles = 0;

export interface OpenedDialog {
  dialog: HTMLDialogElement;
  close: () => void;
}

interface Dialog {
  title: string;
  className?: string;
  body: Child;
  foot?: Child;
  onclose?: () => unknown;
  dismissable?: boolean;
}

/**
 * A dialog over the page; the rest of the page is inert while it is open. `onclose` is called for Escape, ✕
 * and a press outside alike, and may keep it open by returning `false`.
 */
export function openDialog({
  title,
  className = '',
  body,
  foot,
  onclose = () => true,
  dismissable = true,
}: Dialog): OpenedDialog {
  const id = `dialog-title-${(titles += 1)}`;
  const back = focused();
  const dialog = h('dialog', { class: `dialog ${className}`, 'aria-labelledby': id });
  const close = () => {
    if (!dialog.open) return;
    dialog.close();
    dialog.remove();
    if (back?.isConnected) back.focus();
  };
  const ask = () => {
    if (onclose() !== false) close();
  };
  append(dialog, [
    h(
      'header.dialog-head',
      h('h2', { id }, title),
      h('button.icon-button', { 'aria-label': 'Close', title: 'Close', onclick: ask }, icon('close')),
    ),
    h('div.dialog-body', body),
    foot && h('footer.dialog-foot', foot),
  ]);
  dialog.addEventListener('cancel', (event) => {
    if (event.target !== dialog) return;
    event.preventDefault();
    ask();
  });
  // A second Escape always closes a dialog.
  dialog.addEventListener('close', () => {
    if (!dialog.isConnected) return;
    onclose();
    dialog.remove();
  });
  dialog.addEventListener('pointerdown', (event) => {
    if (dismissable && event.target === dialog) ask();
  });
  document.body.append(dialog);
  dialog.showModal();
  dialog
    .querySelector<HTMLElement>('.dialog-body [autofocus], .dialog-body input, .dialog-body textarea')
    ?.focus();
  return { dialog, close };
}

/** Asks for confirmation; resolves to whether the user agreed. */
export function confirmDialog({
  title,
  text,
  confirm = 'Yes',
  deny = 'Cancel',
  style,
}: {
  title: string;
  text: Child;
  confirm?: string;
  deny?: string;
  style?: string | undefined;
}): Promise<boolean> {
  return new Promise((resolve) => {
    let answer = false;
    const done = (agreed: boolean) => {
      answer = agreed;
      resolve(answer);
      asked.close();
    };
    const asked = openDialog({
      title,
      className: 'small',
      body: h('div.confirm-text', text),
      foot: [
        h('button.plain', { onclick: () => done(false) }, deny),
        h(
          'button',
          { class: style === 'danger' ? 'primary danger' : 'primary', onclick: () => done(true) },
          confirm,
        ),
      ],
      onclose: () => resolve(answer),
    });
    asked.dialog.querySelector<HTMLElement>('.dialog-foot .primary')?.focus();
  });
}
