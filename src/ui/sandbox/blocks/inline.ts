import { emojiNode } from '../emoji.ts';
import { type Child, h, safeUrl } from '../dom.ts';
import { dateText } from './date.ts';
import { store } from '../store.ts';

const TOKEN =
  /(```[\s\S]+?```|`[^`\n]+`|<[^<>\n]+>|:[a-z0-9_+'-]*[a-z+1][a-z0-9_+'-]*(?:::skin-tone-[2-6])?:)|(?<!\w)([*_~])(?=\S)([^\n]*?\S)\2(?!\w)/g;
const QUOTE = /^(?:&gt;|>) ?/;
const TAGS: Partial<Record<string, 'strong' | 'em' | 's'>> = { '*': 'strong', _: 'em', '~': 's' };

/** Draws Slack's mrkdwn (`*bold*`, `<@U1>`, `<https://…|label>`, `:eyes:`, quotes). */
export function mrkdwn(text: string): HTMLElement[] {
  const parts: { isQuote: boolean; lines: string[] }[] = [];
  for (const line of text.split('\n')) {
    const isQuote = QUOTE.test(line);
    const last = parts.at(-1);
    if (last?.isQuote === isQuote) last.lines.push(line.replace(QUOTE, ''));
    else parts.push({ isQuote, lines: [line.replace(QUOTE, '')] });
  }
  return parts.map(({ isQuote, lines }) =>
    h(isQuote ? 'blockquote' : 'span.lines', inline(lines.join('\n'))),
  );
}

function inline(text: string): Child[] {
  const nodes: Child[] = [];
  let last = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, token = '', mark = '', inner = ''] = match;
    const tag = TAGS[mark];
    nodes.push(unescape(text.slice(last, match.index)));
    if (tag) nodes.push(h(tag, inline(inner)));
    else if (token.startsWith('```')) nodes.push(h('pre', unescape(token.slice(3, -3).replace(/^\n/, ''))));
    else if (token.startsWith('`')) nodes.push(h('code', unescape(token.slice(1, -1))));
    else if (token.startsWith('<')) nodes.push(reference(token.slice(1, -1)));
    else nodes.push(emojiNode(token.slice(1, -1)));
    last = match.index + whole.length;
  }
  nodes.push(unescape(text.slice(last)));
  return nodes;
}

function reference(body: string): Child {
  const [target = '', label] = body.split(/\|(.*)/s);
  if (target.startsWith('@')) return userChip(target.slice(1), label);
  if (target.startsWith('#')) return channelChip(target.slice(1), label);
  if (target.startsWith('!subteam^')) return groupChip(target.slice('!subteam^'.length), label);
  if (target.startsWith('!date^')) {
    const [, seconds, format = '', url] = target.split('^');
    const text = dateText(Number(seconds), unescape(format), label && unescape(label), store.zone);
    return url ? link(unescape(url), text) : text;
  }
  if (target.startsWith('!')) return h('span.mention.loud', `@${target.slice(1).split('^', 1).join('')}`);
  return link(unescape(target), label === undefined ? undefined : unescape(label));
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

function unescape(text: string): string {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
