import { type KeyboardEvent, memo, type ReactNode, useEffect, useLayoutEffect, useRef } from 'react';

import { dateFormat } from './date-format.ts';
import { emojiVersion } from './emoji.tsx';
import { MessageItem } from './message.tsx';
import { store } from './store.ts';
import type { Message } from './types.ts';

/** Within this distance of the end, the list keeps following new messages. */
const END_PIXELS = 60;
const MOVES = ['ArrowUp', 'ArrowDown', 'Enter', 'Home', 'End'];
const FIRST_CONTROL = '.message-main button, .message-main input, .message-main a, .tools button';

/**
 * A scrolling list that follows new messages while it is scrolled to the end. Another place or person is another list:
 * it has another key.
 */
export function MessageList({
  label,
  messages,
  inThread = false,
  startsAtTop = false,
  newFrom,
  top,
}: {
  label: string;
  messages: readonly Message[];
  inThread?: boolean;
  /** Until its reader writes or scrolls, it shows its beginning. */
  startsAtTop?: boolean;
  /** The line “New” is drawn before the first message of others after this ts. */
  newFrom?: string | undefined;
  /** Above the messages. */
  top?: ReactNode;
}) {
  const scroll = useRef<HTMLDivElement>(null);
  const list = useRef<HTMLOListElement>(null);
  const isAtEnd = useRef(!startsAtTop);
  const known = useRef<ReadonlySet<string>>(new Set());
  const stayAtEnd = () => {
    const { current } = scroll;
    if (current && isAtEnd.current) current.scrollTop = current.scrollHeight;
  };
  useLayoutEffect(() => {
    // Who writes sees what they wrote, or the answer to their command, wherever they were reading.
    const last = messages.at(-1);
    const isOwn =
      last !== undefined && [last.user, last.ephemeralFor].includes(store.me) && !known.current.has(last.ts);
    if (isOwn && known.current.size > 0) isAtEnd.current = true;
    known.current = new Set(messages.map(({ ts }) => ts));
    stayAtEnd();
  });
  useEffect(() => {
    // When the width of the column changes, or a picture is loaded, a list that was at the end stays there.
    const observer = new ResizeObserver(stayAtEnd);
    for (const each of [scroll.current, list.current]) if (each) observer.observe(each);
    return () => observer.disconnect();
  }, []);
  return (
    <div
      ref={scroll}
      className="list-scroll"
      tabIndex={0}
      role="log"
      aria-label={label}
      onScroll={({ currentTarget: { scrollHeight, scrollTop, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < END_PIXELS;
      }}
      onKeyDown={(event) => moveInList(event, list.current)}
    >
      <div className="list-top">{top}</div>
      <ol ref={list} className="messages" aria-label={label}>
        {linesOf(messages, { inThread, newFrom })}
      </ol>
    </div>
  );
}

function linesOf(
  messages: readonly Message[],
  { inThread, newFrom }: { inThread: boolean; newFrom: string | undefined },
): ReactNode[] {
  // What a message is drawn with besides itself.
  const around = [store.me, store.people.length, store.shortcuts.length, emojiVersion()].join(' ');
  const lines: ReactNode[] = [];
  let day = '';
  let previous: Message | undefined;
  let isMarked = false;
  for (const message of messages) {
    const date = dayOf(message.ts);
    if (date !== day) lines.push(<DayLine key={`day ${date}`} className="day" text={date} />);
    const isNew = !isMarked && newFrom !== undefined && message.ts > newFrom && message.user !== store.me;
    if (isNew) {
      isMarked = true;
      lines.push(<DayLine key="new" className="day new" text="New" />);
    }
    const follows = date === day && !isNew && isFollowUp(previous, message);
    day = date;
    previous = message;
    lines.push(
      <KeptMessage
        key={message.ts}
        message={message}
        follows={follows}
        inThread={inThread}
        around={around}
      />,
    );
  }
  return lines;
}

/** A message that is as it was is not drawn again: each event brings new objects of all. */
const KeptMessage = memo(
  function KeptMessage({
    message,
    follows,
    inThread,
  }: {
    message: Message;
    follows: boolean;
    inThread: boolean;
    around: string;
  }) {
    return <MessageItem message={message} follows={follows} inThread={inThread} />;
  },
  (before, now) =>
    before.follows === now.follows &&
    before.around === now.around &&
    (before.message === now.message || JSON.stringify(before.message) === JSON.stringify(now.message)),
);

/** Arrow keys move between messages; Enter moves to the first button of a message. */
function moveInList(event: KeyboardEvent<HTMLElement>, list: HTMLElement | null): void {
  const at = document.activeElement;
  const isInList = at === event.currentTarget || at?.classList.contains('message') === true;
  if (!at || !isInList || !list || !MOVES.includes(event.key)) return;
  const all = [...list.querySelectorAll<HTMLElement>('.message')];
  const index = all.findIndex((each) => each === at);
  event.preventDefault();
  if (event.key === 'Enter') {
    at.querySelector<HTMLElement>(FIRST_CONTROL)?.focus();
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

function dayOf(ts: string): string {
  return dateFormat({ weekday: 'long', day: 'numeric', month: 'long', timeZone: store.zone }).format(
    new Date(Number(ts) * 1000),
  );
}

function DayLine({ className, text }: { className: string; text: string }) {
  return (
    <li className={className}>
      <span>{text}</span>
    </li>
  );
}
