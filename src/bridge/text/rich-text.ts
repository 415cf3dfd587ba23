import { z } from 'zod';

/**
 * Chat's `rich_text` block, the form in which people's messages come and in which ours are sent: unlike mrkdwn it
 * says what is text and what is syntax, so nothing can be mistaken for a mention or a style.
 * Source: https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
 */
const Style = z
  .object({ bold: z.boolean(), italic: z.boolean(), strike: z.boolean(), code: z.boolean() })
  .partial()
  .optional()
  .catch(undefined);
export type Style = z.infer<typeof Style>;

const Inline = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string(), style: Style }),
  z.object({ type: z.literal('link'), url: z.string(), text: z.string().optional(), style: Style }),
  z.object({ type: z.literal('user'), user_id: z.string(), style: Style }),
  z.object({ type: z.literal('usergroup'), usergroup_id: z.string(), style: Style }),
  z.object({ type: z.literal('channel'), channel_id: z.string(), style: Style }),
  z.object({ type: z.literal('emoji'), name: z.string(), unicode: z.string().optional() }),
  z.object({ type: z.literal('broadcast'), range: z.string(), style: Style }),
  z.object({ type: z.literal('color'), value: z.string() }),
  z.object({ type: z.literal('date'), timestamp: z.number(), fallback: z.string().optional() }),
]);
export type Inline = z.infer<typeof Inline>;

/** An element of a kind that was added to chat after this was written is passed over, never fatal. */
const inlines = z.array(z.unknown()).transform((raw) =>
  raw.flatMap((element) => {
    const parsed = Inline.safeParse(element);
    return parsed.success ? [parsed.data] : [];
  }),
);

const Section = z.object({ type: z.literal('rich_text_section'), elements: inlines });
const Preformatted = z.object({ type: z.literal('rich_text_preformatted'), elements: inlines });
const Quote = z.object({ type: z.literal('rich_text_quote'), elements: inlines });
const List = z.object({
  type: z.literal('rich_text_list'),
  style: z.enum(['bullet', 'ordered']).catch('bullet'),
  indent: z.number().int().nonnegative().optional(),
  offset: z.number().int().nonnegative().optional(),
  elements: z.array(Section),
});

const Element = z.discriminatedUnion('type', [Section, Preformatted, Quote, List]);
export type Element = z.infer<typeof Element>;
export type ListElement = z.infer<typeof List>;

export const RichText = z.object({
  type: z.literal('rich_text'),
  elements: z.array(z.unknown()).transform((raw) =>
    raw.flatMap((element) => {
      const parsed = Element.safeParse(element);
      return parsed.success ? [parsed.data] : [];
    }),
  ),
});

/** A `rich_text` block as it is sent. */
export interface RichTextBlock {
  type: 'rich_text';
  elements: Element[];
}
