import { withSigns } from './emoji.ts';
import type { Element, Inline, Style } from './rich-text.ts';

/** Chat escapes exactly these three. */
export function unescapeChat(escaped: string): string {
  return escaped.replaceAll('&lt;', '<').replaceAll('&gt;', '>').replaceAll('&amp;', '&');
}

/**
 * Rich text of chat's older syntax, which apps write: references, styles, code, quotes and bullets.
 * Source: https://docs.slack.dev/messaging/formatting-message-text
 */
export function mrkdwnElements(text: string): Element[] {
  return text.split(/```\n?([\s\S]*?)```/).flatMap((part, at): Element[] => {
    if (at % 2 === 0) return linesOf(part);
    const code = unescapeChat(part.replaceAll(/<([^<>\n]+)>/g, (_, inner: string) => codeText(inner)));
    return [{ type: 'rich_text_preformatted', elements: [{ type: 'text', text: code, style: undefined }] }];
  });
}

/** mrkdwn of one line: labels, titles, cells. */
export function mrkdwnInlines(text: string): Inline[] {
  return inlines(text, undefined);
}

/** In code a reference is no reference, but chat still writes an address as one. */
function codeText(inner: string): string {
  const [target = '', label] = inner.split('|', 2);
  return label ?? target;
}

type Kind = 'rich_text_section' | 'rich_text_quote' | 'rich_text_list';

function linesOf(text: string): Element[] {
  const groups: { kind: Kind; indent: number; lines: string[] }[] = [];
  let quoteAll = false;
  for (const line of text.split('\n')) {
    const [, quote, all, bullet, rest = ''] =
      /^(?:(&gt;|>)((?:&gt;|>){2})?[ ]?|([ ]*)[•◦▪][ \t]+)?(.*)$/.exec(line) ?? [];
    quoteAll ||= all !== undefined;
    const kind: Kind =
      quote !== undefined || quoteAll
        ? 'rich_text_quote'
        : bullet === undefined
          ? 'rich_text_section'
          : 'rich_text_list';
    const indent = Math.floor((bullet?.length ?? 0) / 4);
    const last = groups.at(-1);
    if (last?.kind === kind && last.indent === indent) last.lines.push(rest);
    else groups.push({ kind, indent, lines: [rest] });
  }
  return groups.map(({ kind, indent, lines }): Element =>
    kind === 'rich_text_list'
      ? {
          type: kind,
          style: 'bullet',
          indent,
          offset: undefined,
          elements: lines.map((line) => ({ type: 'rich_text_section', elements: inlines(line, undefined) })),
        }
      : {
          type: kind,
          elements: lines.flatMap((line, at): Inline[] => [
            ...(at > 0 ? [{ type: 'text' as const, text: '\n', style: undefined }] : []),
            ...inlines(line, undefined),
          ]),
        },
  );
}

const STYLES = { '*': 'bold', _: 'italic', '~': 'strike' } as const;

/** A reference, code, or words between two marks that touch them; what a mark may span is bounded against slowness. */
const TOKEN =
  /<([^<>\n]+)>|`([^`\n]+)`|(?<![\p{L}\p{N}*_~`])([*_~])((?!\3)\S|(?!\3)\S[^\n]{0,1000}?\S)\3(?![\p{L}\p{N}*_~])/gu;

function inlines(text: string, style: Style): Inline[] {
  const result: Inline[] = [];
  const plain = (raw: string) => {
    if (raw) result.push({ type: 'text', text: withSigns(unescapeChat(raw)), style });
  };
  let last = 0;
  for (const match of text.matchAll(TOKEN)) {
    plain(text.slice(last, match.index));
    last = match.index + match[0].length;
    const [, inner, code, mark, words = ''] = match;
    if (inner !== undefined) result.push(reference(inner, style));
    else if (code !== undefined)
      result.push({ type: 'text', text: unescapeChat(code), style: { ...style, code: true } });
    else result.push(...inlines(words, { ...style, [STYLES[mark as keyof typeof STYLES]]: true }));
  }
  plain(text.slice(last));
  return result;
}

function reference(inner: string, style: Style): Inline {
  const at = inner.indexOf('|');
  const target = at === -1 ? inner : inner.slice(0, at);
  const label = at === -1 ? undefined : unescapeChat(inner.slice(at + 1));
  if (/^@[A-Z0-9]+$/.test(target)) return { type: 'user', user_id: target.slice(1), style };
  if (/^#[A-Z0-9]+$/.test(target)) return { type: 'channel', channel_id: target.slice(1), style };
  const [, group] = /^!subteam\^([A-Z0-9]+)$/.exec(target) ?? [];
  if (group)
    return label ? { type: 'text', text: label, style } : { type: 'usergroup', usergroup_id: group, style };
  const [, seconds, , url] = /^!date\^(-?\d{1,12})\^([^^]*)(?:\^(.*))?$/.exec(target) ?? [];
  if (seconds)
    return {
      type: 'date',
      timestamp: Number(seconds),
      fallback: label,
      url: url ? unescapeChat(url) : undefined,
      style,
    };
  if (target.startsWith('!'))
    return { type: 'text', text: label ?? `@${unescapeChat(target.slice(1))}`, style };
  return { type: 'link', url: unescapeChat(target), text: label, style };
}
