import { cut } from '../../contract/index.ts';
import { type Element, type Inline, sectionOf } from './rich-text.ts';

/** Characters per part: a longer post cannot be edited later (B20). */
export const PART_CHARACTERS = 3_900;

/**
 * Characters of one part's blocks, as JSON. Slack rejects blocks that are too long (`msg_blocks_too_long`) without
 * saying how it counts; it was observed from about 13,200 characters (slackapi/bolt-js issue 2509).
 */
export const BLOCKS_CHARACTERS = 12_000;

/** The overhead of the surrounding block, and of each element. */
const BLOCK_OVERHEAD = 200;
const ELEMENT_OVERHEAD = 50;

interface Size {
  characters: number;
  json: number;
}

const NOTHING: Size = { characters: 0, json: 0 };

/** Splits elements into as many parts as needed, in order; always at least one, and none empty but a single one. */
export function split(elements: readonly Element[]): Element[][] {
  const parts: Element[][] = [[]];
  let size = NOTHING;
  for (const element of elements.flatMap(splitLong)) {
    const own = sizeOf(element);
    if (size.characters > 0 && !fitsInPart(size, own)) {
      parts.push([]);
      size = NOTHING;
    }
    parts.at(-1)?.push(element);
    size = addSizes(size, own);
  }
  return parts;
}

/** Returns the text of elements, as shown in notifications. */
export function plainText(elements: readonly Element[]): string {
  return elements
    .map((element) =>
      element.type === 'rich_text_list'
        ? element.elements.map((item) => `• ${inlineText(item.elements)}`).join('\n')
        : inlineText(element.elements),
    )
    .join('\n');
}

function inlineText(inlines: readonly Inline[]): string {
  return inlines
    .map((inline) => {
      if (inline.type === 'text') return inline.text;
      if (inline.type === 'link') return inline.text ?? inline.url;
      return inline.type === 'user' ? '@someone' : '';
    })
    .join('');
}

function sizeOf(element: Element): Size {
  return {
    characters: plainText([element]).length + 1,
    json: JSON.stringify(element).length + ELEMENT_OVERHEAD,
  };
}

function addSizes(a: Size, b: Size): Size {
  return { characters: a.characters + b.characters, json: a.json + b.json };
}

function fitsInPart(a: Size, b: Size): boolean {
  const { characters, json } = addSizes(a, b);
  return characters <= PART_CHARACTERS && json <= BLOCKS_CHARACTERS - BLOCK_OVERHEAD;
}

/** Cuts an element that is too long for a part, at a line or a word if possible. */
function splitLong(element: Element): Element[] {
  if (fitsInPart(NOTHING, sizeOf(element))) return [element];
  if (element.type === 'rich_text_list')
    return element.elements.flatMap((item, at) => {
      const offset = (element.offset ?? 0) + at;
      const numbered = element.style === 'ordered' && offset > 0 ? { offset } : {};
      const alone = { ...element, ...numbered, elements: [item] };
      return fitsInPart(NOTHING, sizeOf(alone)) ? [alone] : splitLong(sectionOf(item.elements));
    });
  return splitInlines(element.elements).map((elements) => ({ ...element, elements }));
}

function splitInlines(inlines: readonly Inline[]): Inline[][] {
  const pieces: Inline[][] = [[]];
  let size = NOTHING;
  for (const inline of inlines) {
    let rest: Inline | undefined = inline;
    while (rest) {
      const own: Size = { characters: inlineText([rest]).length + 1, json: JSON.stringify(rest).length + 1 };
      if (fitsInPart(addSizes(size, ELEMENT), own)) {
        pieces.at(-1)?.push(rest);
        size = addSizes(size, own);
        break;
      }
      const room = PART_CHARACTERS - size.characters - 2;
      const at: number =
        rest.type === 'text' && own.characters > room && hasRoom(size) ? cutAt(rest.text, room) : 0;
      if (at > 0 && rest.type === 'text') {
        pieces.at(-1)?.push({ ...rest, text: rest.text.slice(0, at) });
        rest = { ...rest, text: rest.text.slice(at) };
      } else if (size.characters === 0) {
        // Elements that cannot be cut are never too long: URLs and labels are bounded.
        pieces.at(-1)?.push(rest);
        rest = undefined;
      }
      pieces.push([]);
      size = NOTHING;
    }
  }
  return pieces.filter((piece) => piece.length > 0);
}

/** The element around a piece. */
const ELEMENT: Size = { characters: 1, json: 100 };

/** JSON may double a text's length: what fits in characters may not fit as JSON. */
function hasRoom({ characters, json }: Size): boolean {
  return characters < PART_CHARACTERS / 2 && json < BLOCKS_CHARACTERS / 4;
}

/**
 * Returns where to cut a text with at most `room` characters before: after a line, else a word, else a whole character.
 */
function cutAt(text: string, room: number): number {
  const window = text.slice(0, room);
  const line = window.lastIndexOf('\n');
  if (line > room / 2) return line + 1;
  const word = window.lastIndexOf(' ');
  if (word > room / 2) return word + 1;
  return cut(text, room).length;
}
