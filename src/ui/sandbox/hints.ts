import { prefill } from './composer.ts';
import { h } from './dom.ts';
import { emojiOf } from './emoji.ts';
import { store } from './store.ts';
import type { App, Channel } from './types.ts';

const HIDDEN = 'sandbox-hints-hidden';
const VISITED = 'sandbox-visited';
let node: HTMLElement | undefined;
let state = '';
/** The channel that is shown first in a browser that is new here. */
let first: string | undefined;
let isNewHere = localStorage.getItem(VISITED) === null && localStorage.getItem('sandbox-me') === null;
localStorage.setItem(VISITED, 'yes');

/** Returns whether a channel is shown from its beginning, with the hints: the first one of somebody new. */
export function startsAtHints({ id }: Channel): boolean {
  if (!isNewHere) return false;
  first ??= id;
  isNewHere = first === id;
  return isNewHere;
}

/** Hints for new users: what the sandbox is and what to try, with a button for each. */
export function drawHints(channel: Channel, member: boolean): HTMLElement | undefined {
  const app = store.apps.find(({ botUserId }) => channel.members.includes(botUserId));
  const hidden = localStorage.getItem(HIDDEN) === 'yes';
  const next = JSON.stringify([channel.id, store.me, member, app?.id, hidden]);
  if (next !== state) {
    state = next;
    node = hidden ? smallIntro(channel) : card(channel, app, member);
  }
  return node;
}

function smallIntro(channel: Channel): HTMLElement {
  return h(
    'p.intro-line',
    `This is the beginning of ${store.titleOf(channel)}. `,
    h('button.quiet', { onclick: () => hide('no') }, 'What can I try?'),
  );
}

function card(channel: Channel, app: App | undefined, member: boolean): HTMLElement {
  const direct = channel.kind === 'im';
  return h(
    'section.hints',
    { 'aria-label': 'What to try' },
    h(
      'div.hints-head',
      h('h2', direct ? 'Write to the app' : `Welcome to ${store.titleOf(channel)}`),
      h('button.quiet', { onclick: () => hide('yes') }, 'Hide'),
    ),
    h('p', 'A stand-in for Slack on your own machine. Nothing that you write here leaves it.'),
    app && member
      ? tries(app, direct)
      : h(
          'p',
          app
            ? 'Join the channel to write in it.'
            : 'No app is a member of this channel, so none receives what is written here.',
        ),
  );
}

function tries(app: App, direct: boolean): HTMLElement {
  const [command] = store.commands;
  return h(
    'ul',
    direct
      ? attempt('Ask for help', 'My laptop shows a blue screen since this morning', 'just write')
      : attempt(
          'Ask for help',
          `@${app.name} My laptop shows a blue screen since this morning`,
          'mention the app',
        ),
    !direct &&
      h(
        'li',
        h('span.try-what', 'Turn a message into a ticket'),
        h('span.try-how', `press ${emojiOf('ticket')} on the message`),
      ),
    command && attempt('Ask the app what it can do', `${command.command} help`, 'a command'),
    h(
      'li',
      h('span.try-what', 'Reply as someone else'),
      h('span.try-how', '“Act as”, below the list of channels'),
    ),
    h(
      'li',
      h('span.try-what', 'See the app’s events and API calls'),
      h('span.try-how', '“Inspector”, at the top'),
    ),
  );
}

function attempt(what: string, text: string, how: string): HTMLElement {
  return h(
    'li',
    h('span.try-what', what),
    h('span.try-how', how),
    h('button.try', { onclick: () => prefill(text) }, text),
  );
}

function hide(value: 'yes' | 'no'): void {
  localStorage.setItem(HIDDEN, value);
  store.changed();
}
