import { drawBlocks } from './blocks.js';
import { append, h, safeUrl } from './dom.js';
import { emojiOf } from './emoji.js';
import { icon } from './icons.js';
import { mrkdwn } from './inline.js';
import { react, tools } from './message-tools.js';
import { store } from './store.js';

/** One message: who, when, what, its reactions, its thread, and what one can do with it. */
export function drawMessage(message, { follows, inThread }) {
  if (message.subtype === 'channel_join') return joinLine(message);
  const author = authorOf(message);
  const item = h(
    'li',
    {
      class: `message${follows ? ' follows' : ''}${message.ephemeralFor ? ' ephemeral' : ''}${message.subtype === 'tombstone' ? ' tombstone' : ''}`,
      data: { ts: message.ts },
    },
    h('div', { class: 'message-side' }, follows ? time(message.ts) : picture(author)),
  );
  const main = h('div', { class: 'message-main' });
  append(main, [
    !follows && head(message, author),
    message.ephemeralFor && h('p', { class: 'only-you' }, icon('eye'), 'Only visible to you'),
    body(message),
    reactions(message),
    !inThread && replies(message),
    message.thread_ts &&
      !inThread &&
      h(
        'button',
        { type: 'button', class: 'reply-line', onclick: () => store.openThread(message.thread_ts) },
        'Also sent to the channel · view thread',
      ),
  ]);
  item.append(main);
  if (!message.ephemeralFor && message.subtype !== 'tombstone') item.append(tools(message, main, inThread));
  return item;
}

function authorOf(message) {
  const person = store.person(message.user);
  const app = store.apps.find(({ botId }) => botId === message.bot_id);
  if (message.subtype === 'tombstone') return { name: 'Deleted message', picture: undefined };
  return {
    name: message.username ?? (person?.real_name || person?.name || message.user || 'unknown'),
    isApp: message.bot_id !== undefined,
    appName: app?.name,
    picture:
      safeUrl(message.icons?.image_48) ??
      (message.username ? undefined : `/avatar/${message.user ?? app?.botUserId}.svg`),
    emoji: message.icons?.emoji?.replaceAll(':', ''),
  };
}

function picture(author) {
  const sign = author.emoji && emojiOf(author.emoji);
  // A name in place of a sign that cannot be drawn would not fit; the letter below does.
  if (sign && !sign.startsWith(':')) return h('span', { class: 'avatar emoji', 'aria-hidden': 'true' }, sign);
  if (author.picture)
    return h('img', { class: 'avatar', src: author.picture, alt: '', width: 36, height: 36 });
  return h('span', { class: 'avatar letter', 'aria-hidden': 'true' }, author.name.charAt(0).toUpperCase());
}

function head(message, author) {
  return h(
    'div',
    { class: 'message-head' },
    h('strong', {}, author.name),
    author.isApp &&
      h(
        'span',
        { class: 'app-badge', title: author.appName ? `Posted by the app ${author.appName}` : undefined },
        'APP',
      ),
    time(message.ts),
  );
}

function time(ts) {
  const date = new Date(Number(ts) * 1000);
  const short = date.toLocaleTimeString(undefined, { hour: '2-digit', minute: '2-digit' });
  return h('time', { datetime: date.toISOString(), title: `${date.toLocaleString()} · ts ${ts}` }, short);
}

function body(message) {
  const drawn =
    message.blocks.length > 0 ? drawBlocks(message) : h('div', { class: 'rich' }, mrkdwn(message.text));
  return h(
    'div',
    { class: 'message-body' },
    drawn,
    (message.attachments ?? []).map(attachment),
    message.edited && h('span', { class: 'edited' }, '(edited)'),
  );
}

function attachment(item) {
  return h(
    'div',
    { class: 'attachment' },
    item.title && h('strong', {}, item.title),
    mrkdwn(item.text ?? item.fallback ?? ''),
  );
}

function reactions(message) {
  if (message.reactions.length === 0) return undefined;
  return h(
    'div',
    { class: 'reactions' },
    message.reactions.map(({ name, users }) => {
      const mine = users.includes(store.me);
      const who = users.map((id) => store.person(id)?.name ?? id).join(', ');
      return h(
        'button',
        {
          type: 'button',
          class: mine ? 'reaction mine' : 'reaction',
          'aria-pressed': String(mine),
          title: `:${name}: by ${who}`,
          data: { key: `reaction-${name}` },
          onclick: () => react(message, name, !mine),
        },
        `${emojiOf(name)} ${users.length}`,
      );
    }),
  );
}

function replies(message) {
  if (message.reply_count === 0) return undefined;
  const count = message.reply_count;
  return h(
    'button',
    {
      type: 'button',
      class: 'reply-line',
      data: { key: 'thread' },
      onclick: () => store.openThread(message.ts),
    },
    message.reply_users
      .slice(0, 4)
      .map((id) => h('img', { src: `/avatar/${id}.svg`, alt: '', width: 20, height: 20 })),
    `${count} ${count === 1 ? 'reply' : 'replies'}`,
  );
}

function joinLine(message) {
  return h(
    'li',
    { class: 'system-line', data: { ts: message.ts } },
    mrkdwn(message.text),
    ' ',
    time(message.ts),
  );
}
