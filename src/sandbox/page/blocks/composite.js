import { h } from '../dom.js';
import { drawElement } from './elements.js';
import { richText } from './rich-text.js';
import { picture, textObject } from './text.js';

export function card(block, surface) {
  return h(
    'div.block-card',
    block.hero_image && picture(block.hero_image),
    h(
      'div.block-card-main',
      block.title && h('strong', textObject(block.title)),
      block.subtitle && h('div.dim', textObject(block.subtitle)),
      block.body && h('div', textObject(block.body)),
    ),
    block.actions &&
      h(
        'div.block-actions',
        block.actions.map((element) => drawElement(element, block, surface)),
      ),
  );
}

export function container(block, inside) {
  const title = block.rich_text_title ? richText(block.rich_text_title) : textObject(block.title);
  const head = [title, block.subtitle && h('div.dim', textObject(block.subtitle))];
  return block.is_collapsible
    ? h('details.block-container', { open: !block.default_collapsed }, h('summary', head), inside)
    : h('div.block-container', h('div.block-container-head', head), inside);
}

const STATES = { pending: '○', in_progress: '◐', complete: '●', error: '✕' };

export function task(block) {
  return h(
    'div.block-task',
    h('span', { 'aria-hidden': 'true' }, STATES[block.status] ?? '○'),
    ` ${block.title ?? ''} `,
    h('span.dim', (block.status ?? '').replace('_', ' ')),
    block.details?.type === 'rich_text' && richText(block.details),
    block.output?.type === 'rich_text' && richText(block.output),
  );
}
