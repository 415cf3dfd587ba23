import { emojiOf } from './emoji.js';
import { h, safeUrl } from './dom.js';
import { store } from './store.js';

/** The author of a message: a person, an app, or a name that an app set. */
export function authorOf(message) {
  const app = store.apps.find(({ botId }) => botId === message.bot_id);
  if (message.subtype === 'tombstone') return { name: 'Deleted message' };
  return {
    name: message.username ?? (message.user ? store.nameOf(message.user) : 'unknown'),
    isApp: message.bot_id !== undefined,
    appName: app?.name,
    picture:
      safeUrl(message.icons?.image_48) ??
      (message.username ? undefined : store.pictureOf(message.user ?? app?.botUserId)),
    emoji: message.icons?.emoji?.replaceAll(':', ''),
  };
}

export function picture(author) {
  const sign = author.emoji && emojiOf(author.emoji);
  // If the emoji has no sign, its name would not fit; a letter is shown instead.
  if (sign && !sign.startsWith(':')) return h('span.avatar.emoji', { 'aria-hidden': 'true' }, sign);
  if (author.picture) return h('img.avatar', { src: author.picture, alt: '', width: 36, height: 36 });
  return h('span.avatar.letter', { 'aria-hidden': 'true' }, author.name.charAt(0).toUpperCase());
}

export function time(ts) {
  const date = new Date(Number(ts) * 1000);
  const short = date.toLocaleTimeString(undefined, {
    hour: '2-digit',
    minute: '2-digit',
    timeZone: store.zone,
  });
  return h(
    'time',
    {
      datetime: date.toISOString(),
      title: `${date.toLocaleString(undefined, { timeZone: store.zone })} · ts ${ts}`,
    },
    short,
  );
}
