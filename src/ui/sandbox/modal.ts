import { api } from './api.ts';
import { attempt } from './attempt.ts';
import { drawBlocks } from './blocks/draw.ts';
import { plain } from './blocks/text.ts';
import { append, focused, h, keptFocus, present } from './dom.ts';
import { icon } from './icons.ts';
import { notify } from './notice.ts';
import { store } from './store.ts';
import type { View } from './types.ts';
import { views } from './views.ts';

let dialog: HTMLDialogElement | undefined;
let drawn = '';
let shownView: string | undefined;
let back: HTMLElement | undefined;
let shownErrors = '';
/** A submission or closing is in progress. */
let busy = false;
let leaving = false;

/** The modal that an app has open for the acting person: the view on top of its stack, if any. */
export function drawModal(): void {
  const view = views.stack.at(-1);
  if (!view) {
    close();
    return;
  }
  dialog ??= open();
  const state = JSON.stringify([
    view.id,
    view.hash,
    view.blocks,
    view.errors,
    view.notice,
    views.stack.length,
    busy,
  ]);
  if (state === drawn) return;
  drawn = state;
  const another = shownView !== view.id;
  const focus = keptFocus(dialog);
  const scroll = another ? 0 : (dialog.querySelector('.dialog-body')?.scrollTop ?? 0);
  shownView = view.id;
  dialog.replaceChildren();
  append(dialog, frame(view));
  present(dialog.querySelector('.dialog-body')).scrollTop = scroll;
  const errors = JSON.stringify(view.errors);
  const complained = errors !== shownErrors;
  shownErrors = errors;
  const wrong = dialog.querySelector<HTMLElement>('.field.wrong :is(input, textarea)');
  if (wrong && complained) wrong.focus();
  else if (another) first(dialog)?.focus();
  else focus();
}

function first(within: HTMLElement): HTMLElement | null {
  return (
    within.querySelector<HTMLElement>('[autofocus]') ??
    within.querySelector<HTMLElement>('.dialog-body :is(input, textarea, button)') ??
    within.querySelector<HTMLElement>('.dialog-foot .primary, .dialog-foot button')
  );
}

function open(): HTMLDialogElement {
  back = focused();
  const opened = h('dialog.dialog.modal', { 'aria-labelledby': 'modal-title' });
  opened.addEventListener('cancel', (event) => {
    if (event.target !== opened) return;
    event.preventDefault();
    void leave(false);
  });
  // A second Escape always closes a dialog; if the view is still open in the sandbox, the dialog opens again.
  opened.addEventListener('close', (event) => {
    if (event.target !== opened || opened !== dialog || opened.open) return;
    opened.showModal();
    void leave(false);
  });
  document.body.append(opened);
  opened.showModal();
  return opened;
}

function close(): void {
  if (!dialog) return;
  const closing = dialog;
  dialog = undefined;
  closing.close();
  closing.remove();
  drawn = '';
  shownView = undefined;
  shownErrors = '';
  busy = false;
  if (back?.isConnected) back.focus();
  else document.getElementById('composer-channel')?.focus();
}

function frame(view: View): HTMLElement {
  const under = views.stack.at(-2);
  return h(
    'form.modal-form',
    { novalidate: true, onsubmit: (event) => submit(event, view) },
    h(
      'header.dialog-head',
      under &&
        h(
          'button.icon-button.back',
          {
            'aria-label': `Back to ${plain(under.title)}`,
            title: `Back to ${plain(under.title)}`,
            onclick: () => leave(false),
          },
          icon('chevron'),
        ),
      h('h2', { id: 'modal-title' }, plain(view.title)),
      h('span.dim', store.apps.find(({ id }) => id === view.app_id)?.name),
      h(
        'button.icon-button',
        { 'aria-label': 'Close', title: 'Close', onclick: () => leave(true) },
        icon('close'),
      ),
    ),
    h(
      'div.dialog-body.blocks',
      { tabindex: '-1' },
      view.notice && h('p.block-alert.error', { role: 'alert' }, view.notice),
      drawBlocks(view.blocks, views.surface(view)),
    ),
    h(
      'footer.dialog-foot',
      h(
        'button.plain',
        { onclick: () => leave(false) },
        plain(view.close) || (view.submit ? 'Cancel' : 'Close'),
      ),
      view.submit &&
        h(
          'button.primary',
          { type: 'submit', disabled: busy, 'aria-busy': busy ? 'true' : undefined },
          busy && h('span.spinner', { 'aria-hidden': 'true' }),
          plain(view.submit),
        ),
    ),
  );
}

async function submit(event: Event, view: View): Promise<void> {
  event.preventDefault();
  if (busy || !view.submit) return;
  busy = true;
  drawModal();
  const answer = await attempt(
    api.submitView({ user: store.me, viewId: view.id, values: views.filled(view) }),
  );
  busy = false;
  if (answer) {
    void views.takeAnswer(answer.views);
    if (answer.result === 'failed')
      notify(
        answer.error === 'dispatch_failed'
          ? 'The app is not connected, so it did not receive this.'
          : `The app's answer could not be used: ${answer.messages?.join(' ') || (answer.error ?? '')}`,
      );
  }
  drawModal();
}

/**
 * Escape and the close button close the top view; the cross closes all of them. The app is notified if it
 * asked for it.
 */
async function leave(all: boolean): Promise<void> {
  if (busy || leaving) return;
  leaving = true;
  const answer = await attempt(api.closeView({ user: store.me, all }));
  leaving = false;
  if (answer) void views.takeAnswer(answer.views);
}
