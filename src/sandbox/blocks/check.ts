import { z } from 'zod';

import { LIMITS } from '../limits.ts';
import type { Block } from '../workspace/content.ts';

const id = z.string().max(255);
const plainText = (max: number) =>
  z.looseObject({
    type: z.literal('plain_text'),
    text: z.string().min(1).max(max),
    emoji: z.boolean().optional(),
  });
const anyText = (max: number) =>
  z.discriminatedUnion('type', [
    plainText(max),
    z.looseObject({
      type: z.literal('mrkdwn'),
      text: z.string().min(1).max(max),
      verbatim: z.boolean().optional(),
    }),
  ]);

const option = z.looseObject({
  text: anyText(LIMITS.optionTextChars),
  value: z.string().max(150).optional(),
});

const button = z.looseObject({
  type: z.literal('button'),
  text: plainText(LIMITS.buttonTextChars),
  action_id: id.optional(),
  value: z.string().max(2000).optional(),
  url: z.string().max(3000).optional(),
  style: z.enum(['primary', 'danger']).optional(),
});

const staticSelect = z
  .looseObject({
    type: z.literal('static_select'),
    action_id: id.optional(),
    placeholder: plainText(150).optional(),
    options: z.array(option).min(1).max(LIMITS.selectOptions).optional(),
    option_groups: z
      .array(
        z.looseObject({ label: plainText(75), options: z.array(option).min(1).max(LIMITS.selectOptions) }),
      )
      .max(100)
      .optional(),
    initial_option: option.optional(),
  })
  .refine(({ options, option_groups }) => options !== undefined || option_groups !== undefined, {
    error: 'missing required field: options',
  });

/** Elements that are known but not looked into. */
const OTHER_ELEMENTS = [
  'overflow',
  'checkboxes',
  'radio_buttons',
  'datepicker',
  'timepicker',
  'datetimepicker',
  'users_select',
  'conversations_select',
  'channels_select',
  'external_select',
  'multi_static_select',
  'multi_users_select',
  'multi_conversations_select',
  'multi_channels_select',
  'multi_external_select',
  'plain_text_input',
  'email_text_input',
  'url_text_input',
  'number_input',
  'rich_text_input',
  'file_input',
  'workflow_button',
  'feedback_buttons',
  'icon_button',
] as const;

const image = z.looseObject({ type: z.literal('image'), alt_text: z.string().max(2000) });
const element = z.discriminatedUnion('type', [
  button,
  staticSelect,
  image,
  z.looseObject({ type: z.enum(OTHER_ELEMENTS), action_id: id.optional() }),
]);

const block = z.discriminatedUnion('type', [
  z
    .looseObject({
      type: z.literal('section'),
      block_id: id.optional(),
      text: anyText(LIMITS.sectionTextChars).optional(),
      fields: z.array(anyText(LIMITS.fieldTextChars)).min(1).max(LIMITS.sectionFields).optional(),
      accessory: element.optional(),
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
    elements: z.array(element).min(1).max(LIMITS.actionsElements),
  }),
  z.looseObject({
    type: z.literal('markdown'),
    block_id: id.optional(),
    text: z.string().min(1).max(LIMITS.markdownBlockChars),
  }),
  z.looseObject({
    type: z.literal('rich_text'),
    block_id: id.optional(),
    elements: z
      .array(
        z.looseObject({
          type: z.enum(['rich_text_section', 'rich_text_list', 'rich_text_quote', 'rich_text_preformatted']),
          elements: z.array(z.looseObject({ type: z.string() })),
        }),
      )
      .min(1),
  }),
  z.looseObject({ type: z.literal('image'), block_id: id.optional(), alt_text: z.string().max(2000) }),
  z.looseObject({
    type: z.enum([
      'input',
      'video',
      'file',
      'table',
      'data_table',
      'context_actions',
      'alert',
      'card',
      'carousel',
      'container',
      'task_card',
      'plan',
    ]),
    block_id: id.optional(),
  }),
]);

const blocks = z.array(block).max(LIMITS.blocksPerMessage);

/**
 * Whether Slack would take these blocks: known kinds, required parts, lengths (docs.slack.dev/reference/block-kit).
 * The messages are in the form of Slack's `response_metadata.messages`.
 */
export function checkBlocks(value: unknown):
  | { ok: true; blocks: Block[] }
  | {
      ok: false;
      error: 'invalid_blocks' | 'invalid_blocks_format' | 'msg_blocks_too_long';
      messages: string[];
    } {
  if (!Array.isArray(value))
    return { ok: false, error: 'invalid_blocks_format', messages: ['blocks is no array'] };
  const parsed = blocks.safeParse(value);
  if (!parsed.success)
    return {
      ok: false,
      error: 'invalid_blocks',
      messages: parsed.error.issues.map(
        (issue) => `[ERROR] ${issue.message} [json-pointer:/blocks/${issue.path.join('/')}]`,
      ),
    };
  const checked = value as Block[];
  const ids = checked.map(({ block_id }) => block_id).filter((blockId) => blockId !== undefined);
  if (new Set(ids).size < ids.length)
    return { ok: false, error: 'invalid_blocks', messages: ['[ERROR] `block_id` already exists'] };
  if (textLength(checked) > LIMITS.allBlocksChars)
    return { ok: false, error: 'msg_blocks_too_long', messages: [] };
  return { ok: true, blocks: checked };
}

function textLength(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [key, part]: [string, unknown]) =>
      sum + (typeof part === 'string' ? (key === 'text' ? part.length : 0) : textLength(part)),
    0,
  );
}
