import { z } from 'zod';

import { LIMITS } from '../limits.ts';
import type { Block, JsonObject } from '../workspace/content.ts';
import type { IdMaker } from '../workspace/ids.ts';
import { accessory, actionElement, anyText, button, id, image, inputElement, plainText } from './elements.ts';

/** The parts of a rich text block (docs.slack.dev/reference/block-kit/blocks/rich-text-block). */
const style = z
  .looseObject({
    bold: z.boolean().optional(),
    italic: z.boolean().optional(),
    strike: z.boolean().optional(),
    code: z.boolean().optional(),
    underline: z.boolean().optional(),
  })
  .optional();

const inline = z.discriminatedUnion('type', [
  z.looseObject({ type: z.literal('text'), text: z.string().min(1), style }),
  z.looseObject({ type: z.literal('link'), url: z.string().min(1), text: z.string().optional(), style }),
  z.looseObject({ type: z.literal('emoji'), name: z.string().min(1) }),
  z.looseObject({ type: z.literal('user'), user_id: id, style }),
  z.looseObject({ type: z.literal('usergroup'), usergroup_id: id, style }),
  z.looseObject({ type: z.literal('channel'), channel_id: id, style }),
  z.looseObject({ type: z.literal('team'), team_id: id, style }),
  z.looseObject({ type: z.literal('broadcast'), range: z.enum(['here', 'channel', 'everyone']), style }),
  z.looseObject({ type: z.literal('color'), value: z.string().min(1), style }),
  z.looseObject({
    type: z.literal('date'),
    timestamp: z.int(),
    format: z.string().min(1),
    url: z.string().optional(),
    fallback: z.string().optional(),
  }),
]);

const border = z.int().min(0).max(1).optional();
const section = z.looseObject({ type: z.literal('rich_text_section'), elements: z.array(inline) });

export const richText = z.looseObject({
  type: z.literal('rich_text'),
  block_id: id.optional(),
  elements: z
    .array(
      z.discriminatedUnion('type', [
        section,
        z.looseObject({
          type: z.literal('rich_text_list'),
          style: z.enum(['bullet', 'ordered']),
          indent: z.int().min(0).optional(),
          offset: z.int().min(0).optional(),
          border,
          elements: z.array(section),
        }),
        z.looseObject({ type: z.literal('rich_text_quote'), border, elements: z.array(inline) }),
        z.looseObject({ type: z.literal('rich_text_preformatted'), border, elements: z.array(inline) }),
      ]),
    )
    .min(1),
});

const raw = [
  z.looseObject({ type: z.literal('raw_text'), text: z.string().min(1) }),
  z.looseObject({ type: z.literal('raw_number'), value: z.number() }),
] as const;
const cell = z.discriminatedUnion('type', [...raw, richText]);
const row = z.array(cell).min(1).max(LIMITS.tableColumns);

/** docs.slack.dev/reference/block-kit/blocks/table-block */
export const table = z.looseObject({
  type: z.literal('table'),
  block_id: id.optional(),
  rows: z.array(row).min(1).max(LIMITS.tableRows),
  column_settings: z
    .array(
      z
        .looseObject({
          align: z.enum(['left', 'center', 'right']).optional(),
          is_wrapped: z.boolean().optional(),
        })
        .nullable(),
    )
    .max(LIMITS.tableColumns)
    .optional(),
});

/** docs.slack.dev/reference/block-kit/blocks/data-table-block: the first row is the header, and every row as long. */
export const dataTable = z
  .looseObject({
    type: z.literal('data_table'),
    block_id: id.optional(),
    caption: z.string().min(1),
    rows: z
      .array(row)
      .min(2)
      .max(LIMITS.tableRows + 1),
    page_size: z.int().min(1).max(100).optional(),
    row_header_column_index: z.int().min(0).optional(),
  })
  .refine(({ rows: [header, ...rest] }) => rest.every((one) => one.length === header?.length), {
    error: 'all rows must have the same number of cells',
    path: ['rows'],
  })
  .refine(({ rows: [header] }) => header?.every(({ type }) => type !== 'rich_text') === true, {
    error: 'header cells cannot be rich_text',
    path: ['rows', 0],
  });

const blockId = { block_id: id.optional() };
const address = z.string().min(1).max(LIMITS.urlChars);
const alt = z.string().min(1).max(LIMITS.altTextChars);

/** docs.slack.dev/reference/block-kit/blocks/image-block: an address or a file of Slack's, never neither. */
export const imageBlock = z
  .looseObject({
    type: z.literal('image'),
    ...blockId,
    alt_text: z.string().max(LIMITS.altTextChars),
    image_url: address.optional(),
    slack_file: z.looseObject({ id: z.string().optional(), url: z.string().optional() }).optional(),
    title: plainText(LIMITS.imageTitleChars).optional(),
  })
  .refine(({ image_url, slack_file }) => (image_url === undefined) !== (slack_file === undefined), {
    error: 'must provide either `image_url` or `slack_file`',
  });

const feedback = z.looseObject({
  text: plainText(LIMITS.buttonTextChars),
  value: z.string().max(LIMITS.buttonValueChars),
  accessibility_label: z.string().max(LIMITS.buttonTextChars).optional(),
});

const card = z.looseObject({
  type: z.literal('card'),
  ...blockId,
  hero_image: image.optional(),
  icon: image.optional(),
  title: anyText(LIMITS.cardTitleChars).optional(),
  subtitle: anyText(LIMITS.cardTitleChars).optional(),
  body: anyText(LIMITS.cardBodyChars).optional(),
  actions: z.array(button).optional(),
});

const taskCard = z.looseObject({
  type: z.literal('task_card'),
  ...blockId,
  task_id: z.string().min(1),
  title: z.string().min(1),
  status: z.enum(['pending', 'in_progress', 'complete', 'error']),
  details: richText.optional(),
  output: richText.optional(),
});

/** Blocks that show more than text (docs.slack.dev/reference/block-kit/blocks, a page each). */
export const MEDIA = [
  card,
  taskCard,
  z.looseObject({
    type: z.literal('video'),
    ...blockId,
    alt_text: alt,
    title: plainText(LIMITS.videoTitleChars),
    thumbnail_url: address,
    video_url: address,
    title_url: address.optional(),
    author_name: z.string().max(LIMITS.videoAuthorChars).optional(),
    description: plainText(LIMITS.videoTitleChars).optional(),
    provider_name: z.string().optional(),
    provider_icon_url: address.optional(),
  }),
  z.looseObject({
    type: z.literal('context_actions'),
    ...blockId,
    elements: z
      .array(
        z.discriminatedUnion('type', [
          z.looseObject({
            type: z.literal('feedback_buttons'),
            action_id: id.optional(),
            positive_button: feedback,
            negative_button: feedback,
          }),
          z.looseObject({
            type: z.literal('icon_button'),
            action_id: id.optional(),
            icon: z.string().min(1),
            text: plainText(LIMITS.buttonTextChars),
            value: z.string().max(LIMITS.buttonValueChars).optional(),
          }),
        ]),
      )
      .min(1)
      .max(LIMITS.contextActions),
  }),
  z.looseObject({
    type: z.literal('alert'),
    ...blockId,
    text: anyText(LIMITS.sectionTextChars),
    level: z.enum(['default', 'info', 'warning', 'error', 'success']).optional(),
  }),
  z.looseObject({
    type: z.literal('carousel'),
    ...blockId,
    elements: z.array(card).min(1).max(LIMITS.carouselCards),
  }),
  z.looseObject({
    type: z.literal('plan'),
    ...blockId,
    title: z.string().min(1),
    tasks: z.array(taskCard).optional(),
  }),
] as const;

/**
 * Whether Slack would take a block: known kinds, required parts, lengths (docs.slack.dev/reference/block-kit/blocks).
 */
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
  // Sent by Slack only, or opaque: their contents are not checked.
  z.looseObject({ type: z.enum(['file', 'container']), block_id: id.optional() }),
]);

/** The elements of a block that a person can press, choose in or fill in. */
export function elementsOf(block: Block): JsonObject[] {
  if (block.type === 'actions' || block.type === 'context_actions')
    return (block['elements'] ?? []) as JsonObject[];
  const one = block.type === 'input' ? block['element'] : block['accessory'];
  if (typeof one !== 'object' || one === null || Array.isArray(one) || one['type'] === 'image') return [];
  return [one];
}

/** Duplicate ids: block ids in all blocks, action ids in their block. */
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

const INTERACTIVE = /button|select|overflow|picker|checkboxes|input/;

/**
 * Gives blocks and interactive elements the ids that Slack gives where an app sent none, and input blocks their
 * defaults.
 */
export function withIds(blocks: readonly Block[], ids: IdMaker): Block[] {
  const withActionId = (element: JsonObject): JsonObject =>
    typeof element['type'] === 'string' &&
    INTERACTIVE.test(element['type']) &&
    element['action_id'] === undefined
      ? { action_id: ids.blockId(), ...element }
      : element;
  return blocks.map((block) => {
    const filled: Block = { block_id: ids.blockId(), ...block };
    const { elements, accessory, element } = filled;
    if (filled.type === 'actions' && Array.isArray(elements))
      filled['elements'] = (elements as JsonObject[]).map(withActionId);
    if (filled.type === 'section' && accessory !== undefined)
      filled['accessory'] = withActionId(accessory as JsonObject);
    if (filled.type !== 'input') return filled;
    return {
      optional: false,
      dispatch_action: false,
      ...filled,
      element: withActionId(element as JsonObject),
    };
  });
}
