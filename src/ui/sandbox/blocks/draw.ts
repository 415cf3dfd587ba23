import { type Child, h, safeUrl } from '../dom.ts';
import type { ActionsBlock, Block, SectionBlock, VideoBlock } from '../types.ts';
import { drawElement } from './elements.ts';
import { drawInput } from './input.ts';
import { markdown } from './markdown.ts';
import { json } from '../parts/json.ts';
import { richText } from './rich-text.ts';
import { card, container, task } from './composite.ts';
import type { Surface } from './surface.ts';
import { table } from './table.ts';
import { picture, textObject } from './text.ts';

/** Draws blocks on a surface. */
export function drawBlocks(blocks: readonly Block[], surface: Surface): Child[] {
  return blocks.map((block) => drawBlock(block, surface));
}

const KINDS: {
  [Kind in Block['type']]: (block: Extract<Block, { type: Kind }>, surface: Surface) => Child;
} = {
  rich_text: richText,
  markdown: (block) => markdown(block.text ?? ''),
  section,
  header: (block, surface) =>
    h(surface.kind === 'message' ? 'h3' : 'h2', { class: 'block-header' }, textObject(block.text)),
  divider: () => h('hr.block-divider'),
  context: (block) =>
    h(
      'div.block-context',
      (block.elements ?? []).map((element) =>
        element.type === 'image' ? picture(element) : h('span', textObject(element)),
      ),
    ),
  actions: (block, surface) => elements('block-actions', block, surface),
  context_actions: (block, surface) => elements('block-actions slim', block, surface),
  input: drawInput,
  image: (block) =>
    h('figure.block-image', block.title && h('figcaption', textObject(block.title)), picture(block)),
  video,
  table,
  data_table: table,
  alert: (block) =>
    h('p', { class: `block-alert ${block.level ?? 'default'}`, role: 'note' }, textObject(block.text)),
  card: (block, surface) => card(block, surface),
  carousel: (block, surface) =>
    h(
      'div.block-carousel',
      { tabindex: '0', role: 'group', 'aria-label': 'Cards' },
      (block.elements ?? []).map((each) => card(each, surface)),
    ),
  container: (block, surface) => container(block, drawBlocks(block.child_blocks ?? [], surface)),
  task_card: (block) => task(block),
  plan: (block) => h('div.block-plan', h('strong', block.title), (block.tasks ?? []).map(task)),
};

function drawBlock(block: Block, surface: Surface): Child {
  const known = Object.hasOwn(KINDS, block.type)
    ? (KINDS[block.type] as (block: Block, surface: Surface) => Child)
    : undefined;
  // An unknown kind is shown as JSON.
  return known ? known(block, surface) : json(block, { title: `Block “${block.type}”, not drawn here` });
}

function elements(className: string, block: ActionsBlock, surface: Surface): HTMLElement {
  return h(
    'div',
    { class: className },
    (block.elements ?? []).map((element) => drawElement(element, block, surface)),
  );
}

function section(block: SectionBlock, surface: Surface): HTMLElement {
  const { text, fields, accessory } = block;
  return h(
    'div.block-section',
    h(
      'div.block-section-main',
      text && h('div', textObject(text)),
      fields &&
        h(
          'div.block-fields',
          fields.map((field) => h('div', textObject(field))),
        ),
    ),
    accessory && h('div.block-accessory', drawElement(accessory, block, surface)),
  );
}

/** A video links to its own address; the sandbox embeds no foreign pages. */
function video(block: VideoBlock): HTMLElement {
  const url = safeUrl(block.title_url) ?? safeUrl(block.video_url);
  return h(
    'figure.block-image',
    h('figcaption', h('strong', textObject(block.title)), block.author_name && ` · ${block.author_name}`),
    block.description && h('p', textObject(block.description)),
    h(
      'a',
      { href: url, target: '_blank', rel: 'noreferrer noopener' },
      picture({ image_url: block.thumbnail_url, alt_text: block.alt_text }),
      ' Watch the video ↗',
    ),
  );
}
