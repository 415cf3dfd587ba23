import { type Child, h } from '../dom.ts';
import type { CardBlock, ContainerBlock, TaskBlock } from '../types.ts';
import { drawElement } from './elements.ts';
import { richText } from './rich-text.ts';
import type { Surface } from './surface.ts';
import { picture, textObject } from './text.ts';

export function card(block: CardBlock, surface: Surface): HTMLElement {
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

export function container(block: ContainerBlock, inside: Child): HTMLElement {
  const title = block.rich_text_title ? richText(block.rich_text_title) : textObject(block.title);
  const head = [title, block.subtitle && h('div.dim', textObject(block.subtitle))];
  return block.is_collapsible
    ? h('details.block-container', { open: !block.default_collapsed }, h('summary', head), inside)
    : h('div.block-container', h('div.block-container-head', head), inside);
}

const STATES: Partial<Record<string, string>> = { pending: '○', in_progress: '◐', complete: '●', error: '✕' };

export function task(block: TaskBlock): HTMLElement {
  return h(
    'div.block-task',
    h('span', { 'aria-hidden': 'true' }, STATES[block.status ?? ''] ?? '○'),
    ` ${block.title ?? ''} `,
    h('span.dim', (block.status ?? '').replace('_', ' ')),
    block.details?.type === 'rich_text' && richText(block.details),
    block.output?.type === 'rich_text' && richText(block.output),
  );
}
