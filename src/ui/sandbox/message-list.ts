import { focused, h, keptFocus, replaceChildren } from './dom.ts';
import { drawMessage } from './message.ts';
import { store } from './store.ts';
import type { Message } from './types.ts';

/** Within this distance of the end, the list keeps following new messages. */
const END_PIXELS = 60;

interface Drawn {
  state: string;
  node: HTMLElement;
}

interface ListOptions {
  label: string;
  inThread?: boolean;
  startsAtTop?: boolean;
}

/**
 * A scrolling list that keeps the elements of unchanged messages and follows new ones while it is scrolled to
 * the end.
 */
export class MessageList {
  readonly list: HTMLElement;
  readonly top: HTMLElement;
  readonly element: HTMLElement;
  #drawn = new Map<string, Drawn>();
  #atEnd = true;
  #inThread: boolean;

  /** `startsAtTop`: until its reader writes or scrolls, it shows its beginning. */
  constructor({ label, inThread = false, startsAtTop = false }: ListOptions) {
    this.#inThread = inThread;
    this.#atEnd = !startsAtTop;
    this.list = h('ol.messages', { 'aria-label': label });
    this.top = h('div.list-top');
    this.element = h(
      'div.list-scroll',
      { tabindex: '0', role: 'log', 'aria-label': label },
      this.top,
      this.list,
    );
    this.element.addEventListener('scroll', () => {
      this.#atEnd = this.#isAtEnd();
    });
    this.element.addEventListener('keydown', (event) => this.#move(event));
    // When the width of the column changes, or a picture is loaded, a list that was at the end stays there.
    const observer = new ResizeObserver(() => this.#stayAtEnd());
    observer.observe(this.element);
    observer.observe(this.list);
  }

  /** `newFrom`: the line “New” is drawn before the first message of others after this ts. */
  draw(
    messages: readonly Message[],
    { top, newFrom }: { top?: HTMLElement | undefined; newFrom?: string | undefined } = {},
  ): void {
    const focus = keptFocus(this.element);
    replaceChildren(this.top, [top]);
    const kept = new Map<string, Drawn>();
    let day = '';
    let previous: Message | undefined;
    let marked = false;
    const nodes: HTMLElement[] = [];
    for (const message of messages) {
      const date = dayOf(message.ts);
      if (date !== day) nodes.push(this.#keep(kept, `day ${date}`, '', () => dayLine(message.ts)));
      const isNew = !marked && newFrom !== undefined && message.ts > newFrom && message.user !== store.me;
      if (isNew) {
        marked = true;
        nodes.push(this.#keep(kept, 'new', '', newLine));
      }
      const follows = date === day && !isNew && isFollowUp(previous, message);
      day = date;
      previous = message;
      const state = JSON.stringify([message, follows, store.me, store.people.length, store.shortcuts.length]);
      nodes.push(
        this.#keep(kept, message.ts, state, () =>
          drawMessage(message, { follows, inThread: this.#inThread }),
        ),
      );
    }
    // Who writes sees what they wrote, wherever they were reading.
    const isOwn = previous !== undefined && previous.user === store.me && !this.#drawn.has(previous.ts);
    if (isOwn && this.#drawn.size > 0) this.#atEnd = true;
    this.#drawn = kept;
    replaceChildren(this.list, nodes);
    this.#stayAtEnd();
    focus();
  }

  /** Arrow keys move between messages; Enter moves to the first button of a message. */
  #move(event: KeyboardEvent): void {
    const at = focused();
    const inList = at === this.element || at?.classList.contains('message');
    if (!at || !inList || !['ArrowUp', 'ArrowDown', 'Enter', 'Home', 'End'].includes(event.key)) return;
    const all = [...this.list.querySelectorAll<HTMLElement>('.message')];
    const index = all.indexOf(at);
    event.preventDefault();
    if (event.key === 'Enter') {
      at.querySelector<HTMLElement>(
        '.message-main button, .message-main input, .message-main a, .tools button',
      )?.focus();
      return;
    }
    const to = {
      ArrowUp: index < 0 ? all.length - 1 : Math.max(0, index - 1),
      ArrowDown: Math.min(all.length - 1, index + 1),
      Home: 0,
      End: all.length - 1,
    }[event.key];
    if (to !== undefined) all[to]?.focus();
  }

  #isAtEnd(): boolean {
    const { scrollHeight, scrollTop, clientHeight } = this.element;
    return scrollHeight - scrollTop - clientHeight < END_PIXELS;
  }

  #stayAtEnd(): void {
    if (this.#atEnd) this.element.scrollTop = this.element.scrollHeight;
  }

  #keep(kept: Map<string, Drawn>, key: string, state: string, make: () => HTMLElement): HTMLElement {
    const known = this.#drawn.get(key);
    // A message that is being edited is not redrawn.
    const stays = known && (known.state === state || known.node.querySelector('.editor') !== null);
    const entry = stays ? known : { state, node: make() };
    kept.set(key, entry);
    return entry.node;
  }
}

const FOLLOW_UP_SECONDS = 300;

/** Whether a message is grouped under the one before it: same author, soon after, nothing between. */
function isFollowUp(before: Message | undefined, message: Message): boolean {
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

function dayLine(ts: string): HTMLElement {
  return h('li.day', h('span', dayOf(ts)));
}

function dayOf(ts: string): string {
  return new Date(Number(ts) * 1000).toLocaleDateString(undefined, {
    weekday: 'long',
    day: 'numeric',
    month: 'long',
    timeZone: store.zone,
  });
}

function newLine(): HTMLElement {
  return h('li.day.new', h('span', 'New'));
}
