import { escapeMrkdwn, type MrkdwnBlock, parseMrkdwn } from '../../platform/text/mrkdwn.ts';
import type { Block, JsonObject } from '../workspace/content.ts';
import { type Inline, resolveName, type Reading, richInline } from './inline.ts';

export interface RichText {
  /** What stands in the message's `text`: mrkdwn, escaped. */
  text: string;
  /** One `rich_text` block; undefined for nothing but spaces. */
  block: Block | undefined;
}

/** Columns of leading space of each further level of a list. */
const INDENT_COLUMNS = 4;
const BULLETS = ['•', '◦', '▪︎'];

/**
 * Reads a message as Slack's composer (typed) or its mrkdwn (sent by an app) does, into one `rich_text` block
 * (docs.slack.dev/reference/block-kit/blocks/rich-text-block) and the text that goes with it. Lists are read only
 * from what a person types: mrkdwn has none.
 */
export function parseRichText(source: string, reading: Reading, blockId: string): RichText {
  const tree = parseMrkdwn(source.replace(/\n$/, ''), {
    isEscaped: !reading.typed,
    marks: reading.plain !== true,
    addresses: reading.bareLinks !== false,
    ...(reading.typed ? { lists: 'typed', named: (sign, name) => resolveName(sign, name, reading) } : {}),
  });
  const blocks = tree.map((block) => drawBlock(block, reading));
  const elements = blocks.map(({ element }) => element);
  endSectionsBeforeOthers(elements);
  // Joined once at the end: to look at the end of a text that grows by pieces, all of it is copied each time.
  const text = blocks.map((each) => each.text).join('\n');
  const block = source.trim() === '' ? undefined : { type: 'rich_text', block_id: blockId, elements };
  return { text, block };
}

interface Drawn {
  element: JsonObject;
  text: string;
}

function drawBlock(block: MrkdwnBlock, reading: Reading): Drawn {
  if (block.kind === 'preformatted')
    return {
      element: { type: 'rich_text_preformatted', elements: [{ type: 'text', text: block.text }], border: 0 },
      text: `\`\`\`${escapeMrkdwn(block.text)}\`\`\``,
    };
  if (block.kind === 'list') return drawList(block, reading);
  const lines = block.lines.map((line) => richInline(line, reading));
  return {
    element: { type: `rich_text_${block.kind}`, elements: joinLines(lines) },
    text: lines.map(({ text }) => (block.kind === 'quote' ? `&gt; ${text}` : text)).join('\n'),
  };
}

function drawList({ isOrdered, level, items }: MrkdwnBlock & { kind: 'list' }, reading: Reading): Drawn {
  const drawn = items.map(({ number, line }) => ({
    mark: number === undefined ? (BULLETS[level % BULLETS.length] ?? '•') : `${number}.`,
    inline: richInline(line, reading),
  }));
  return {
    element: {
      type: 'rich_text_list',
      style: isOrdered ? 'ordered' : 'bullet',
      indent: level,
      border: 0,
      elements: drawn.map(({ inline }) => ({ type: 'rich_text_section', elements: inline.elements })),
    },
    text: drawn
      .map(({ mark, inline }) => `${' '.repeat(level * INDENT_COLUMNS)}${mark} ${inline.text}`)
      .join('\n'),
  };
}

function joinLines(lines: Inline[]): JsonObject[] {
  const elements: JsonObject[] = [];
  lines.forEach((line, index) => {
    if (index > 0) addText(elements, '\n');
    for (const element of line.elements)
      if (element['type'] === 'text' && element['style'] === undefined && typeof element['text'] === 'string')
        addText(elements, element['text']);
      else elements.push(element);
  });
  return elements;
}

/** Plain text runs together, so a paragraph of several lines is one element. */
function addText(elements: JsonObject[], text: string): void {
  const last = elements.at(-1);
  if (last?.['type'] === 'text' && last['style'] === undefined && typeof last['text'] === 'string')
    last['text'] += text;
  else elements.push({ type: 'text', text });
}

/** A section in front of a list, a quote or code ends with a line break, as in Slack's own examples. */
function endSectionsBeforeOthers(parts: JsonObject[]): void {
  parts.forEach((part, index) => {
    const next = parts[index + 1];
    if (part['type'] !== 'rich_text_section' || !next || !Array.isArray(part['elements'])) return;
    addText(part['elements'] as JsonObject[], '\n');
  });
}
