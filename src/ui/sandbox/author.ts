import { emojiOf } from './emoji.ts';
import { h, safeUrl } from './dom.ts';
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

export function picture(author: Author): HTMLElement {
  const sign = author.emoji && emojiOf(author.emoji);
  // If the emoji has no sign, its name would not fit; a letter is shown instead.
  if (sign && !sign.startsWith(':')) return h('span.avatar.emoji', { 'aria-hidden': 'true' }, sign);
  if (author.picture) return h('img.avatar', { src: author.picture, alt: '', width: 36, height: 36 });
  return h('span.avatar.letter', { 'aria-hidden': 'true' }, author.name.charAt(0).toUpperCase());
}

/** The time of a message; in the gutter, which has no room for them, without AM and PM. */
export function time(ts: string, { inGutter = false } = {}): HTMLElement {
  const date = new Date(Number(ts) * 1000);
  const short = new Intl.DateTimeFormat(undefined, {
    hour: 'numeric',
    minute: '2-digit',
    timeZone: store.zone,
  })
    .formatToParts(date)
    .filter(({ type }) => !inGutter || type !== 'dayPeriod')
    .map(({ value }) => value)
    .join('')
    .trim();
  return h(
    'time',
    {
      datetime: date.toISOString(),
      title: `${date.toLocaleString(undefined, { timeZone: store.zone })} · ts ${ts}`,
    },
    short,
  );
}
