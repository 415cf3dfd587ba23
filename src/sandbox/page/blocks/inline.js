import { emojiNode } from '../emoji.js';
import { h, safeUrl } from '../dom.js';
import { dateText } from './date.js';
import { store } from '../store.js';

const TOKEN =
  /(```[\s\S]+?```|`[^`\n]+`|<[^<>\n]+>|:[a-z0-9_+'-]*[a-z+1][a-z0-9_+'-]*(?:::skin-tone-[2-6])?:)|(?<!\w)([*_~])(?=\S)([^\n]*?\S)\2(?!\w)/g;
const QUOTE = /^(?:&gt;|>) ?/;
const TAGS = { '*': 'strong', _: 'em', '~': 's' };

/** Draws Slack's mrkdwn (`*bold*`, `<@U1>`, `<https://…|label>`, `:eyes:`, quotes). */
export function mrkdwn(text) {
  const lines = text.split('\n');
  const nodes = [];
  for (let at = 0; at < lines.length; at += 1) {
    if (QUOTE.test(lines[at])) {
      const quoted = [];
      while (at < lines.length && QUOTE.test(lines[at])) quoted.push(lines[at++].replace(QUOTE, ''));
      at -= 1;
      nodes.push(h('blockquote', inline(quoted.join('\n'))));
    } else {
      const plain = [];
      while (at < lines.length && !QUOTE.test(lines[at])) plain.push(lines[at++]);
      at -= 1;
      nodes.push(h('span.lines', inline(plain.join('\n'))));
    }
  }
  return nodes;
}

function inline(text) {
  const nodes = [];
  let last = 0;
  for (const match of text.matchAll(TOKEN)) {
    const [whole, token, mark, inner] = match;
    nodes.push(unescape(text.slice(last, match.index)));
    if (mark) nodes.push(h(TAGS[mark], {}, inline(inner)));
    else if (token.startsWith('```')) nodes.push(h('pre', unescape(token.slice(3, -3).replace(/^\n/, ''))));
    else if (token.startsWith('`')) nodes.push(h('code', unescape(token.slice(1, -1))));
    else if (token.startsWith('<')) nodes.push(reference(token.slice(1, -1)));
    else nodes.push(emojiNode(token.slice(1, -1)));
    last = match.index + whole.length;
  }
  nodes.push(unescape(text.slice(last)));
  return nodes;
}

function reference(body) {
  const [target, label] = body.split(/\|(.*)/s);
  if (target.startsWith('@')) return userChip(target.slice(1), label);
  if (target.startsWith('#')) return channelChip(target.slice(1), label);
  if (target.startsWith('!subteam^')) return groupChip(target.slice('!subteam^'.length), label);
  if (target.startsWith('!date^')) {
    const [, seconds, format = '', url] = target.split('^');
    const text = dateText(Number(seconds), unescape(format), label && unescape(label), store.zone);
    return url ? link(unescape(url), text) : text;
  }
  if (target.startsWith('!')) return h('span.mention.loud', `@${target.slice(1).split('^')[0]}`);
  return link(unescape(target), label === undefined ? undefined : unescape(label));
}

export function userChip(id, label) {
  const person = store.person(id);
  const mine = id === store.me;
  return h(
    'span',
    { class: mine ? 'mention mine' : 'mention' },
    `@${person ? store.nameOf(id) : (label ?? id)}`,
  );
}

export function groupChip(id, label) {
  const group = store.groups.find((each) => each.id === id);
  const mine = group?.users.includes(store.me);
  const name = group ? `@${group.handle}` : (label ?? `@${id}`);
  return h('span', { class: mine ? 'mention mine' : 'mention', title: group?.name }, name);
}

export function channelChip(id, label) {
  return h('span.mention', `#${store.channel(id)?.name ?? label ?? id}`);
}

export function link(url, label) {
  const address = safeUrl(url);
  const said = label ?? url;
  return address ? h('a', { href: address, target: '_blank', rel: 'noreferrer noopener' }, said) : said;
}

function unescape(text) {
  return text.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}
