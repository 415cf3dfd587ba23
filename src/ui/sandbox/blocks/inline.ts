import { type MrkdwnInline, parseMrkdwn } from '../../../platform/text/mrkdwn.ts';
import { emojiNode } from '../emoji.ts';
import { type Child, h, safeUrl } from '../dom.ts';
import { dateText } from './date.ts';
import { store } from '../store.ts';

const TAGS = { bold: 'strong', italic: 'em', strike: 's' } as const;

/** Draws Slack's mrkdwn (`*bold*`, `<@U1>`, `<https://…|label>`, `:eyes:`, quotes). */
export function mrkdwn(text: string): HTMLElement[] {
  return parseMrkdwn(text).map((block) => {
    if (block.kind === 'preformatted') return h('pre', block.text);
    const lines = block.kind === 'list' ? block.items.map(({ line }) => line) : block.lines;
    return h(
      block.kind === 'quote' ? 'blockquote' : 'span.lines',
      lines.map((line, at) => [at > 0 && '\n', line.map(inlineNode)]),
    );
  });
}

function inlineNode(inline: MrkdwnInline): Child {
  switch (inline.kind) {
    case 'text':
      return inline.text;
    case 'code':
      return h('code', inline.text);
    case 'styled':
      return h(TAGS[inline.style], inline.children.map(inlineNode));
    case 'emoji':
      return emojiNode(inline.raw.slice(1, -1));
    case 'user':
      return userChip(inline.id, inline.label);
    case 'channel':
      return channelChip(inline.id, inline.label);
    case 'group':
      return groupChip(inline.id, inline.label);
    case 'broadcast':
      return h('span.mention.loud', `@${inline.range}`);
    case 'date': {
      const text = dateText(inline.timestamp, inline.format, inline.label, store.zone);
      return inline.url ? link(inline.url, text) : text;
    }
    case 'link':
      return link(inline.url, inline.label);
    case 'unknown':
      return inline.target.startsWith('!')
        ? h('span.mention.loud', `@${inline.target.slice(1)}`)
        : (inline.label ?? inline.target);
  }
}

export function userChip(id: string, label?: string): HTMLElement {
  const person = store.person(id);
  const mine = id === store.me;
  return h(
    'span',
    { class: mine ? 'mention mine' : 'mention' },
    `@${person ? store.nameOf(id) : (label ?? id)}`,
  );
}

export function groupChip(id: string, label?: string): HTMLElement {
  const group = store.groups.find((each) => each.id === id);
  const mine = group?.users.includes(store.me);
  const name = group ? `@${group.handle}` : (label ?? `@${id}`);
  return h('span', { class: mine ? 'mention mine' : 'mention', title: group?.name }, name);
}

export function channelChip(id: string, label?: string): HTMLElement {
  return h('span.mention', `#${store.channel(id)?.name ?? label ?? id}`);
}

export function link(url: string, label?: string): Child {
  const address = safeUrl(url);
  const said = label ?? url;
  return address ? h('a', { href: address, target: '_blank', rel: 'noreferrer noopener' }, said) : said;
}
