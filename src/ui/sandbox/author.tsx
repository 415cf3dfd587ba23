import { dateFormat } from './date-format.ts';
import { emojiOf } from './emoji.tsx';
import { safeUrl } from './safe-url.ts';
import { store } from './store.ts';
import type { Message } from './types.ts';

export interface Author {
  name: string;
  isApp?: boolean;
  appName?: string | undefined;
  picture?: string | undefined;
  emoji?: string | undefined;
}

/** The author of a message: a person, an app, or a name that an app set. */
export function authorOf(message: Message): Author {
  const app = store.apps.find(({ botId }) => botId === message.bot_id);
  if (message.subtype === 'tombstone') return { name: 'Deleted message' };
  const id = message.user ?? app?.botUserId;
  return {
    name: message.username ?? (message.user ? store.nameOf(message.user) : 'unknown'),
    isApp: message.bot_id !== undefined,
    appName: app?.name,
    picture:
      safeUrl(message.icons?.image_48) ??
      (message.username || id === undefined ? undefined : store.pictureOf(id)),
    emoji: message.icons?.emoji?.replaceAll(':', ''),
  };
}

export function AuthorPicture({ author }: { author: Author }) {
  const sign = author.emoji && emojiOf(author.emoji);
  // If the emoji has no sign, its name would not fit; a letter is shown instead.
  if (sign && !sign.startsWith(':'))
    return (
      <span className="avatar emoji" aria-hidden="true">
        {sign}
      </span>
    );
  if (author.picture) return <img className="avatar" src={author.picture} alt="" width={36} height={36} />;
  return (
    <span className="avatar letter" aria-hidden="true">
      {author.name.charAt(0).toUpperCase()}
    </span>
  );
}

const DAY = { year: 'numeric', month: 'numeric', day: 'numeric' } as const;
const TIME = { hour: 'numeric', minute: 'numeric', second: 'numeric' } as const;

/** When a message was written, to the second, as its name says it. */
export const timeOf = ({ ts }: Message): string =>
  dateFormat({ ...TIME, timeZone: store.zone }).format(new Date(Number(ts) * 1000));

/** The time of a message; in the gutter, which has no room for them, without AM and PM. */
export function MessageTime({ ts, isInGutter = false }: { ts: string; isInGutter?: boolean }) {
  const date = new Date(Number(ts) * 1000);
  const { zone: timeZone } = store;
  const short = dateFormat({ hour: 'numeric', minute: '2-digit', timeZone })
    .formatToParts(date)
    .filter(({ type }) => !isInGutter || type !== 'dayPeriod')
    .map(({ value }) => value)
    .join('')
    .trim();
  return (
    <time
      dateTime={date.toISOString()}
      title={`${dateFormat({ ...DAY, ...TIME, timeZone }).format(date)} · ts ${ts}`}
    >
      {short}
    </time>
  );
}
