import { z } from 'zod';

import { LIMITS } from '../limits.ts';
import type { Block, JsonObject } from '../workspace/content.ts';
import { anyText, id, plainText } from './composition.ts';
import { accessory, actionElement, image, inputElement } from './elements.ts';
import { imageBlock, MEDIA } from './media.ts';
import { richText } from './rich-text.ts';
import { dataTable, table } from './tables.ts';

/** Whether Slack would take a block: known kinds, required parts, lengths (docs.slack.dev/reference/block-kit/blocks). */
export const block = z.discriminatedUnion('type', [
  z
    .looseObject({
      type: z.literal('section'),
      block_id: id.optional(),
      text: anyText(LIMITS.sectionTextChars).optional(),
      fields: z.array(anyText(LIMITS.fieldTextChars)).min(1).max(LIMITS.sectionFields).optional(),
      accessory: accessory.optional(),
    })
    .refine(({ text, fields }) => text !== undefined || fields !== undefined, {
      error: 'missing required field: text',
    }),
  z.looseObject({
    type: z.literal('header'),
    block_id: id.optional(),
    text: plainText(LIMITS.headerTextChars),
  }),
  z.looseObject({ type: z.literal('divider'), block_id: id.optional() }),
  z.looseObject({
    type: z.literal('context'),
    block_id: id.optional(),
    elements: z
      .array(z.union([anyText(LIMITS.sectionTextChars), image]))
      .min(1)
      .max(LIMITS.contextElements),
  }),
  z.looseObject({
    type: z.literal('actions'),
    block_id: id.optional(),
    elements: z.array(actionElement).min(1).max(LIMITS.actionsElements),
  }),
  z.looseObject({
    type: z.literal('input'),
    block_id: id.optional(),
    label: plainText(LIMITS.inputLabelChars),
    hint: plainText(LIMITS.inputLabelChars).optional(),
    element: inputElement,
    optional: z.boolean().optional(),
    dispatch_action: z.boolean().optional(),
  }),
  z.looseObject({
    type: z.literal('markdown'),
    block_id: id.optional(),
    text: z.string().min(1).max(LIMITS.markdownBlockChars),
  }),
  richText,
  table,
  dataTable,
  imageBlock,
  ...MEDIA,
  // Sent by Slack only, or not looked into: what stands in them is checked by nobody.
  z.looseObject({ type: z.enum(['file', 'container']), block_id: id.optional() }),
]);

/** The elements of a block that somebody can press, choose in or fill in. */
export function elementsOf(block: Block): JsonObject[] {
  if (block.type === 'actions' || block.type === 'context_actions')
    return (block['elements'] ?? []) as JsonObject[];
  const one = block.type === 'input' ? block['element'] : block['accessory'];
  if (typeof one !== 'object' || one === null || Array.isArray(one) || one['type'] === 'image') return [];
  return [one];
}

/** Ids that stand twice where they may not: block ids in all, action ids in their block. */
export function doubledIds(blocks: readonly Block[]): { what: 'block_id' | 'action_id'; index: number }[] {
  const seen = new Set<string>();
  const doubled: { what: 'block_id' | 'action_id'; index: number }[] = [];
  blocks.forEach((one, index) => {
    const { block_id } = one;
    if (typeof block_id === 'string') {
      if (seen.has(block_id)) doubled.push({ what: 'block_id', index });
      seen.add(block_id);
    }
    const actions = elementsOf(one)
      .map((element) => element['action_id'])
      .filter((action) => typeof action === 'string');
    if (new Set(actions).size < actions.length) doubled.push({ what: 'action_id', index });
  });
  return doubled;
}
