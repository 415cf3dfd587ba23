import { z } from 'zod';

import { id } from './composition.ts';

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
