import { type Author, authorOf, picture, time } from './author.ts';
import { drawBlocks } from './blocks/draw.ts';
import { dateText } from './blocks/date.ts';
import { mrkdwn } from './blocks/inline.ts';
import type { Surface } from './blocks/surface.ts';
import { append, h, safeUrl } from './dom.ts';
import { emojiNode } from './emoji.ts';
import { drawFiles } from './files.ts';
import { icon } from './icons.ts';
import { messageSurface } from './message-surface.ts';
import { pickReaction, react, tools } from './message-tools.ts';
import { store } from './store.ts';
import type { Attachment, Message } from './types.ts';

const QUIET = new Set<string | undefined>([
  'channel_join',
  'channel_leave',
  'group_join',
  'group_leave',
  'channel_archive',
  'channel_unarchive',
  'group_archive',
  'group_unarchive',
  'channel_name',
  'group_name',
  'channel_topic',
  'group_topic',
  'channel_purpose',
  'group_purpose',
  'pinned_item',
]);

/** One message: author, time, text, reactions, thread and actions. */
export function drawMessage(
  message: Message,
  { follows, inThread }: { follows: boolean; inThread: boolean },
): HTMLElement {
  if (QUIET.has(message.subtype)) return quietLine(message);
  const author = authorOf(message);
  const gone = message.subtype === 'tombstone';
  const item = h('li', {
    class: `message${message.subtype === 'me_message' ? ' me' : ''}${follows ? ' follows' : ''}${message.ephemeralFor ? ' ephemeral' : ''}${gone ? ' tombstone' : ''}`,
    tabindex: '-1',
    'aria-label': `${author.name}, ${new Date(Number(message.ts) * 1000).toLocaleTimeString(undefined, { timeZone: store.zone })}`,
    data: { ts: message.ts, key: `message ${message.ts}` },
  });
  item.append(h('div.message-side', follows ? time(message.ts, { inGutter: true }) : picture(author)));
  const main = h('div.message-main');
  append(main, [
    message.ephemeralFor &&
      h(
        'p.only-you',
        icon('eye'),
        'Only visible to you',
        h('button.quiet', { onclick: () => store.dismiss(message) }, 'Dismiss'),
      ),
    !follows && head(message, author),
    message.thread_ts &&
      !inThread &&
      h(
        'p.also-sent',
        'replied to a thread: ',
        h('button.quiet', { onclick: () => store.openThread(message.thread_ts) }, 'view it'),
      ),
    body(message),
    reactions(message),
    !inThread && replies(message),
  ]);
  item.append(main);
  if (!message.ephemeralFor && !gone) item.append(tools(message, main, inThread));
  return item;
}

function head(message: Message, author: Author): HTMLElement {
  return h(
    'div.message-head',
    h('strong', author.name),
    author.isApp &&
      h(
        'span.app-badge',
        { title: author.appName ? `Posted by the app ${author.appName}` : undefined },
        'APP',
      ),
    time(message.ts),
  );
}

function body(message: Message): HTMLElement {
  const surface = messageSurface(message);
  const drawn =
    message.blocks.length > 0
      ? drawBlocks(message.blocks, surface)
      : message.text && h('div.rich', mrkdwn(message.text));
  return h(
    'div.message-body',
    drawn,
    (message.attachments ?? []).map((item) => attachment(item, surface)),
    drawFiles(message.files),
    message.edited && h('span.edited', '(edited)'),
  );
}

function attachment(item: Attachment, surface: Surface): HTMLElement {
  const url = safeUrl(item.title_link);
  return h(
    'div.attachment',
    item.pretext && h('div', mrkdwn(item.pretext)),
    item.author_name && h('div.dim', item.author_name),
    item.title &&
      h(
        'strong',
        url ? h('a', { href: url, target: '_blank', rel: 'noreferrer noopener' }, item.title) : item.title,
      ),
    item.blocks ? drawBlocks(item.blocks, surface) : h('div', mrkdwn(item.text ?? item.fallback ?? '')),
    item.footer && h('div.dim', item.footer),
  );
}

function reactions(message: Message): HTMLElement | undefined {
  if (message.reactions.length === 0) return undefined;
  return h(
    'div.reactions',
    message.reactions.map(({ name, users }) => {
      const mine = users.includes(store.me);
      const who = users.map((id) => store.nameOf(id)).join(', ');
      return h(
        'button',
        {
          class: mine ? 'reaction mine' : 'reaction',
          'aria-pressed': String(mine),
          title: `:${name}: by ${who}`,
          'aria-label': `${name}, ${users.length}, by ${who}`,
          data: { key: `reaction-${message.ts}-${name}` },
          onclick: () => react(message, name, !mine),
        },
        h('span', emojiNode(name)),
        h('span.count', users.length),
      );
    }),
    h(
      'button.reaction.add',
      {
        title: 'Add a reaction',
        'aria-label': 'Add a reaction',
        data: { key: `reaction-${message.ts}-add` },
        onclick: (event) => pickReaction(event.currentTarget, message),
      },
      icon('smile'),
    ),
  );
}

function replies(message: Message): HTMLElement | undefined {
  if (message.reply_count === 0) return undefined;
  const count = message.reply_count;
  const last = message.latest_reply ? Number(message.latest_reply) : undefined;
  return h(
    'button.reply-line',
    { data: { key: `thread-${message.ts}` }, onclick: () => store.openThread(message.ts) },
    message.reply_users
      .slice(0, 4)
      .map((id) => h('img', { src: store.pictureOf(id), alt: '', width: 22, height: 22 })),
    h('span', `${count} ${count === 1 ? 'reply' : 'replies'}`),
    last &&
      h(
        'span.reply-when',
        { 'aria-hidden': 'true' },
        dateText(last, 'Last reply {date_short_pretty} at {time}', undefined, store.zone),
      ),
  );
}

function quietLine(message: Message): HTMLElement {
  return h('li.system-line', { data: { ts: message.ts } }, mrkdwn(message.text), ' ', time(message.ts));
}
