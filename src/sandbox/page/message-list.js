import { h, replaceChildren } from './dom.js';
import { drawMessage } from './message.js';
import { store } from './store.js';

/** So near to its end one reads what comes. */
const END_PIXELS = 60;

/** A scrolling list that keeps unchanged messages' elements and stays at its end while one reads there. */
export class MessageList {
  #drawn = new Map();
  #atEnd = true;
  #inThread;

  constructor({ label, inThread = false }) {
    this.#inThread = inThread;
    this.list = h('ol', { class: 'messages', role: 'log', 'aria-label': label });
    this.top = h('div', { class: 'list-top' });
    this.element = h(
      'div',
      { class: 'list-scroll', tabindex: '0', role: 'group', 'aria-label': label },
      this.top,
      this.list,
    );
    this.element.addEventListener('scroll', () => {
      this.#atEnd = this.#isAtEnd();
    });
    // When the column changes its width, what was at the end stays there.
    new ResizeObserver(() => this.#stayAtEnd()).observe(this.element);
  }

  draw(messages, { top }) {
    const { element } = this;
    const focused = element.contains(document.activeElement) ? document.activeElement : undefined;
    const focus = focused && { ts: focused.closest('[data-ts]')?.dataset.ts, key: focused.dataset.key };
    replaceChildren(this.top, [top]);
    const kept = new Map();
    let day = '';
    let previous;
    const nodes = [];
    for (const message of messages) {
      const date = new Date(Number(message.ts) * 1000).toDateString();
      if (date !== day) nodes.push(this.#keep(kept, `day ${date}`, '', () => dayLine(message.ts)));
      const follows = date === day && isFollowUp(previous, message);
      day = date;
      previous = message;
      const state = JSON.stringify([message, follows, store.me, store.people.length]);
      nodes.push(
        this.#keep(kept, message.ts, state, () =>
          drawMessage(message, { follows, inThread: this.#inThread }),
        ),
      );
    }
    this.#drawn = kept;
    replaceChildren(this.list, nodes);
    this.#stayAtEnd();
    if (focus?.key && !document.activeElement?.closest('[data-ts]'))
      this.list.querySelector(`[data-ts="${focus.ts}"] [data-key="${CSS.escape(focus.key)}"]`)?.focus();
  }

  #isAtEnd() {
    const { scrollHeight, scrollTop, clientHeight } = this.element;
    return scrollHeight - scrollTop - clientHeight < END_PIXELS;
  }

  #stayAtEnd() {
    if (this.#atEnd) this.element.scrollTop = this.element.scrollHeight;
  }

  #keep(kept, key, state, make) {
    const known = this.#drawn.get(key);
    const entry = known?.state === state ? known : { state, node: make() };
    kept.set(key, entry);
    return entry.node;
  }
}

const FOLLOW_UP_SECONDS = 300;

/** Whether a message stands under the head of the one before it: same author, soon after, nothing between. */
function isFollowUp(before, message) {
  return (
    before !== undefined &&
    before.subtype === message.subtype &&
    before.user === message.user &&
    before.username === message.username &&
    before.bot_id === message.bot_id &&
    before.ephemeralFor === message.ephemeralFor &&
    message.subtype !== 'channel_join' &&
    Number(message.ts) - Number(before.ts) < FOLLOW_UP_SECONDS &&
    before.reply_count === 0
  );
}

function dayLine(ts) {
  const day = new Date(Number(ts) * 1000).toLocaleDateString(undefined, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
  });
  return h('li', { class: 'day', role: 'separator' }, h('span', {}, day));
}
