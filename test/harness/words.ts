import type { RootContent } from 'mdast';

import { parseMarkdown } from '../../src/platform/text/markdown.ts';
import type { SeenMessage } from './chat.ts';

/**
 * A text in a form that is the same on both sides: its letters and digits, without formatting, spaces, emoji
 * (which have several names) and mentions of people (who have different names on each side).
 */
export interface Words {
  /** Lower case, without separators. */
  letters: string;
  /** Whether it names groups or everyone, whose names differ between the sides (B19). */
  namesGroups: boolean;
}

/** The names of people and channels, for references that are plain text on one of the sides. */
export interface Names {
  people: readonly string[];
  channels: ReadonlyMap<string, string>;
}

interface Inline {
  type: string;
  text?: string;
  url?: string;
  name?: string;
  channel_id?: string;
  fallback?: string;
  elements?: Inline[];
}

/** The words of a chat message, from its rich text, since its plain text is shortened. */
export function wordsInChat(message: Pick<SeenMessage, 'text' | 'blocks'>, names: Names): Words {
  const blocks = (message.blocks as Inline[]).filter(({ type }) => type === 'rich_text');
  const found = { text: '', namesGroups: false };
  const add = (inline: Inline): void => {
    if (inline.elements) {
      inline.elements.forEach(add);
      found.text += '\n';
    } else if (inline.type === 'channel') found.text += names.channels.get(inline.channel_id ?? '') ?? '';
    else if (inline.type === 'usergroup' || inline.type === 'broadcast') found.namesGroups = true;
    else if (inline.type !== 'user' && inline.type !== 'emoji')
      found.text += inline.text ?? inline.fallback ?? inline.url ?? '';
  };
  blocks.forEach(add);
  const text = blocks.length > 0 ? found.text : plainText(message.text);
  return { letters: lettersOf(text, names.people), namesGroups: found.namesGroups };
}

/** The words of a ticket's text, which is Markdown. */
export function wordsOnTicket(markdown: string, names: Names): Words {
  const people = new Set(names.people);
  let text = '';
  const add = (node: RootContent): void => {
    if (node.type === 'link' && node.url.startsWith('user:')) return;
    if ('children' in node) node.children.forEach(add);
    else if (node.type === 'break') text += '\n';
    else if ('value' in node) text += node.value;
    if (node.type === 'paragraph' || node.type === 'heading' || node.type === 'code') text += '\n';
  };
  parseMarkdown(markdown).children.forEach(add);
  return { letters: lettersOf(text, [...people]), namesGroups: false };
}

/** The names in a ticket's user mentions: chat shows only the name of an unknown user. */
export function mentionedNames(markdown: string): string[] {
  return [...markdown.matchAll(/\[@([^\]]+)\]\(user:/g)].map(([, name = '']) => name);
}

/** Slack's older syntax without its references. */
function plainText(text: string): string {
  return text
    .replaceAll(/<([^<>]*)>/g, (_, inner: string) => {
      const [target = '', label] = inner.split('|');
      return /^[@#!]/.test(target) ? '' : (label ?? target);
    })
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&amp;', '&');
}

function lettersOf(text: string, people: readonly string[]): string {
  const names = people.filter(Boolean).toSorted((a, b) => b.length - a.length);
  let rest = text;
  for (const name of names) rest = rest.replaceAll(`@${name}`, ' ');
  return (
    rest
      // Emoji names, and the numbers of list items, which are syntax on the ticket.
      .replaceAll(/:[a-z0-9_+'-]+:/gi, ' ')
      .replaceAll(/^\s*\d+[.)]\s/gm, ' ')
      .toLowerCase()
      .match(/[\p{L}\p{N}]+/gu)
      ?.join('') ?? ''
  );
}
