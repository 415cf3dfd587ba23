import { api } from './api.js';
import { attempt } from './attempt.js';
import { drawBlocks } from './blocks/draw.js';
import { plain } from './blocks/text.js';
import { append, h, keptFocus } from './dom.js';
import { icon } from './icons.js';
import { notify } from './notice.js';
import { store } from './store.js';
import { views } from './views.js';

let dialog;
let drawn = '';
let shownView;
let back;
let shownErrors = '';
/** A submission or closing is in progress. */
let busy = false;
let leaving = false;

/** The modal that an app has open for the acting person: the view on top of its stack, if any. */
export function drawModal() {
  const view = views.stack.at(-1);
  if (!view) {
    close();
    return;
  }
  if (!dialog) open();
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
  dialog.querySelector('.dialog-body').scrollTop = scroll;
  const errors = JSON.stringify(view.errors);
  const complained = errors !== shownErrors;
  shownErrors = errors;
  const wrong = dialog.querySelector('.field.wrong :is(input, textarea)');
  if (wrong && complained) wrong.focus();
  else if (another) first()?.focus();
  else focus();
}

function first() {
  return (
    dialog.querySelector('[autofocus]') ??
    dialog.querySelector('.dialog-body :is(input, textarea, button)') ??
    dialog.querySelector('.dialog-foot .primary, .dialog-foot button')
  );
}

function open() {
  back = document.activeElement;
  dialog = h('dialog.dialog.modal', { 'aria-labelledby': 'modal-title' });
  dialog.addEventListener('cancel', (event) => {
    if (event.target !== dialog) return;
    event.preventDefault();
    leave(false);
  });
  // A second Escape always closes a dialog; if the view is still open in the sandbox, the dialog opens again.
  dialog.addEventListener('close', (event) => {
    if (event.target !== dialog || dialog.open) return;
    dialog.showModal();
    leave(false);
  });
  document.body.append(dialog);
  dialog.showModal();
}

function close() {
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

function frame(view) {
  const depth = views.stack.length;
  const under = views.stack.at(-2);
  return h(
    'form.modal-form',
    { novalidate: true, onsubmit: (event) => submit(event, view) },
    h(
      'header.dialog-head',
      depth > 1 &&
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

async function submit(event, view) {
  event.preventDefault();
  if (busy || !view.submit) return;
  busy = true;
  drawModal();
  const answer = await attempt(
    api.submitView({ user: store.me, viewId: view.id, values: views.filled(view) }),
  );
  busy = false;
  if (answer) {
    views.takeAnswer(answer.views);
    if (answer.result === 'failed')
      notify(
        answer.error === 'dispatch_failed'
          ? 'The app is not connected, so nobody heard it.'
          : `The app's answer could not be used: ${answer.messages.join(' ') || answer.error}`,
      );
  }
  drawModal();
}

/**
 * Escape and the close button close the top view; the cross closes all of them. The app is notified if it
 * asked for it.
 */
async function leave(all) {
  if (busy || leaving) return;
  leaving = true;
  const answer = await attempt(api.closeView({ user: store.me, all }));
  leaving = false;
  if (answer) views.takeAnswer(answer.views);
}
