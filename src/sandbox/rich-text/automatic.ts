import { escapeMrkdwn } from '../../platform/text/mrkdwn.ts';
import type { Block, JsonObject } from '../workspace/content.ts';
import type { Reading } from './inline.ts';

/**
 * How Slack treats a text of an app that is not marked up (docs.slack.dev/reference/methods/chat.postMessage,
 * "Formatting messages"; slack-facts.md, "Messages").
 */
export interface Parsing {
  /** The whole text is plain: its marks and `<…>` are characters (`parse: 'full'`). */
  plain: boolean;
  /** Addresses become links. */
  links: boolean;
  /** `#channel`, `@group` and `@here` become mentions. */
  names: boolean;
}

/** Each method's own, where a call names no `parse`. */
export const PARSING = {
  'chat.postMessage': { plain: false, links: true, names: false },
  // `client`, whose meaning is documented nowhere: as a client reads what is typed.
  'chat.update': { plain: false, links: true, names: true },
} as const satisfies Record<string, Parsing>;

/** A text object of a block, unless it is `verbatim`. */
const OF_BLOCKS: Parsing = { plain: false, links: true, names: true };

/** Returns how the arguments of a call want its text to be treated. */
export function parsingOf(
  { parse, link_names: linkNames }: { parse?: string | undefined; link_names?: boolean | undefined },
  byDefault: Parsing,
): Parsing {
  const names = linkNames ?? false;
  if (parse === 'full') return { plain: true, links: true, names: true };
  if (parse === 'none') return { plain: false, links: false, names };
  return { ...byDefault, names: byDefault.names || names };
}

/** Code, and what is marked up already: both stay as they are. */
const MARKED_UP = /(```[\s\S]*?```|`[^`\n]+`|<[^<>\n]*>)/;
const FOUND =
  /(https?:\/\/[^\s<>|]*[^\s<>|.,:;!?)\]}'"*_~])|(?<![\w/@#.])(?:@([a-z0-9](?:[\w.-]*\w)?)|#([a-z0-9](?:[\w-]*\w)?))/gi;
const BROADCASTS: ReadonlySet<string> = new Set(['here', 'channel', 'everyone']);

/**
 * Returns an app's text as Slack keeps it: what Slack finds by itself is marked up. People are not found by their
 * names: Slack no longer supports that.
 * @param text mrkdwn, escaped; with `plain` any text.
 */
export function parseAutomatically(text: string, { plain, links, names }: Parsing, reading: Reading): string {
  const mark = (part: string) =>
    part.replaceAll(FOUND, (whole, url?: string, at?: string, hash?: string) => {
      if (url !== undefined) return links ? `<${url}>` : whole;
      if (!names) return whole;
      return at === undefined ? channelIn(whole, hash ?? '', reading) : mentionIn(whole, at, reading);
    });
  if (plain) return mark(escapeMrkdwn(text));
  return text
    .split(MARKED_UP)
    .map((part, index) => (index % 2 === 0 ? mark(part) : part))
    .join('');
}

function mentionIn(whole: string, found: string, reading: Reading): string {
  const name = found.toLowerCase();
  if (BROADCASTS.has(name)) return `<!${name}>`;
  const id = reading.groupId?.(name);
  return id === undefined ? whole : `<!subteam^${id}>`;
}

function channelIn(whole: string, found: string, reading: Reading): string {
  const name = found.toLowerCase();
  const id = reading.channelId(name);
  return id === undefined ? whole : `<#${id}|${name}>`;
}

/**
 * Returns blocks with what Slack finds in their texts. Only texts for reading are looked into: options and questions
 * before a press show no links and no mentions.
 */
export function parseBlocks<One extends Block>(blocks: readonly One[], reading: Reading): One[] {
  return blocks.map((block): One => {
    const { text, fields, elements } = block;
    if (block.type === 'section')
      return {
        ...block,
        ...(text === undefined ? {} : { text: parseTextObject(text, reading) }),
        ...(Array.isArray(fields) ? { fields: fields.map((field) => parseTextObject(field, reading)) } : {}),
      };
    if (block.type === 'context' && Array.isArray(elements))
      return { ...block, elements: elements.map((element) => parseTextObject(element, reading)) };
    return block;
  });
}

function parseTextObject<Value>(value: Value, reading: Reading): Value {
  const object = value as JsonObject | null;
  if (typeof object !== 'object' || object === null) return value;
  if (object['type'] !== 'mrkdwn' || object['verbatim'] === true || typeof object['text'] !== 'string')
    return value;
  return { ...object, text: parseAutomatically(object['text'], OF_BLOCKS, reading) } as Value;
}

/** Returns attachments with what Slack finds in their texts and blocks. */
export function parseAttachments(
  attachments: readonly JsonObject[],
  parsing: Parsing,
  reading: Reading,
): JsonObject[] {
  const parsed = (text: unknown) =>
    typeof text === 'string' ? parseAutomatically(text, parsing, reading) : undefined;
  return attachments.map((attachment) => {
    const text = parsed(attachment['text']);
    const pretext = parsed(attachment['pretext']);
    const blocks = attachment['blocks'];
    return {
      ...attachment,
      ...(text === undefined ? {} : { text }),
      ...(pretext === undefined ? {} : { pretext }),
      ...(Array.isArray(blocks) ? { blocks: parseBlocks(blocks as Block[], reading) as JsonObject[] } : {}),
    };
  });
}
