import type { Block, JsonObject } from '../workspace/content.ts';
import { escapeText, type Inline, parseInline, type Reading, unescapeText } from './inline.ts';

export interface RichText {
  /** What stands in the message's `text`: mrkdwn, escaped. */
  text: string;
  /** One `rich_text` block; undefined for nothing but spaces. */
  block: Block | undefined;
}

type Line =
  | { kind: 'plain'; inline: Inline }
  | { kind: 'quote'; inline: Inline }
  | { kind: 'list'; style: 'bullet' | 'ordered'; indent: number; inline: Inline; mark: string };

/** Columns of leading space that make one more level of a list. */
const INDENT_COLUMNS = 4;
const BULLETS = ['•', '◦', '▪︎'];

/**
 * Reads a message as Slack's composer (typed) or its mrkdwn (sent by an app) does, into one `rich_text` block
 * (docs.slack.dev/reference/block-kit/blocks/rich-text-block) and the text that goes with it. Lists are read only
 * from what a person types: mrkdwn has none.
 */
export function parseRichText(source: string, reading: Reading, blockId: string): RichText {
  const parts: JsonObject[] = [];
  // Joined once at the end: to look at the end of a text that grows by pieces, all of it is copied each time.
  const texts: string[] = [];
  const addPiece = (piece: string): void => {
    if (texts.length > 0 && !texts.at(-1)?.endsWith('\n')) texts.push('\n');
    if (piece !== '') texts.push(piece);
  };
  // Every second piece stands between fences.
  const pieces = reading.plain === true ? [source] : source.split(/```\n?([\s\S]+?)\n?```\n?/);
  pieces.forEach((piece, index) => {
    if (index % 2 === 1) {
      const said = reading.typed ? piece : unescapeText(piece);
      parts.push({ type: 'rich_text_preformatted', elements: [{ type: 'text', text: said }], border: 0 });
      addPiece(`\`\`\`${escapeText(said)}\`\`\``);
      return;
    }
    if (piece === '') return;
    const lines = piece
      .replace(/\n$/, '')
      .split('\n')
      .map((line) => readLine(line, reading));
    parts.push(...group(lines));
    addPiece(lines.map(lineText).join('\n'));
  });
  endSectionsBeforeOthers(parts);
  const block = source.trim() === '' ? undefined : { type: 'rich_text', block_id: blockId, elements: parts };
  return { text: texts.join(''), block };
}

function readLine(line: string, reading: Reading): Line {
  if (reading.plain === true) return { kind: 'plain', inline: parseInline(line, reading) };
  // An app may send the quote character escaped or unescaped.
  const quote = (reading.typed ? /^>\s?(.*)$/ : /^(?:>|&gt;)\s?(.*)$/).exec(line);
  if (quote) return { kind: 'quote', inline: parseInline(quote[1] ?? '', reading) };
  const item = reading.typed ? /^(\s*)(?:([-•◦])|(\d{1,3})\.)\s+(\S.*)$/.exec(line) : null;
  if (item) {
    const [, space = '', , number, said = ''] = item;
    const indent = Math.ceil(space.replaceAll('\t', '    ').length / INDENT_COLUMNS);
    return {
      kind: 'list',
      style: number === undefined ? 'bullet' : 'ordered',
      indent,
      inline: parseInline(said, reading),
      mark: number === undefined ? (BULLETS[indent % BULLETS.length] ?? '•') : `${number}.`,
    };
  }
  return { kind: 'plain', inline: parseInline(line, reading) };
}

function lineText(line: Line): string {
  if (line.kind === 'quote') return `&gt; ${line.inline.text}`;
  if (line.kind === 'list')
    return `${' '.repeat(line.indent * INDENT_COLUMNS)}${line.mark} ${line.inline.text}`;
  return line.inline.text;
}

/** Neighbouring lines of one kind are one element; a list ends where its style or depth changes. */
function group(lines: Line[]): JsonObject[] {
  const parts: JsonObject[] = [];
  for (let at = 0; at < lines.length;) {
    const line = lines[at];
    if (!line) break;
    let end = at + 1;
    while (end < lines.length && sameGroup(line, lines[end])) end += 1;
    const members = lines.slice(at, end);
    parts.push(
      line.kind === 'list'
        ? {
            type: 'rich_text_list',
            style: line.style,
            indent: line.indent,
            border: 0,
            elements: members.map(({ inline }) => ({ type: 'rich_text_section', elements: inline.elements })),
          }
        : {
            type: line.kind === 'quote' ? 'rich_text_quote' : 'rich_text_section',
            elements: joinLines(members.map(({ inline }) => inline)),
          },
    );
    at = end;
  }
  return parts;
}

function sameGroup(a: Line, b: Line | undefined): boolean {
  if (!b || a.kind !== b.kind) return false;
  return a.kind !== 'list' || (b.kind === 'list' && a.style === b.style && a.indent === b.indent);
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
