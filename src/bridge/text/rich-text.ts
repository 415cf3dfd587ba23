import { z } from 'zod';

/**
 * Slack's `rich_text` block, the format of user messages and of ours: unlike mrkdwn it separates text from syntax, so
 * nothing can be mistaken for a mention or a style. Source:
 * https://docs.slack.dev/reference/block-kit/blocks/rich-text-block
 */
const Style = z
  .object({ bold: z.boolean(), italic: z.boolean(), strike: z.boolean(), code: z.boolean() })
  .partial()
  .optional()
  .catch(undefined);
export type Style = z.infer<typeof Style>;

const optional = z.string().optional().catch(undefined);

export const Inline = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string(), style: Style }),
  z.object({ type: z.literal('link'), url: z.string(), text: optional, style: Style }),
  z.object({ type: z.literal('user'), user_id: z.string(), style: Style }),
  z.object({ type: z.literal('usergroup'), usergroup_id: z.string(), style: Style }),
  z.object({ type: z.literal('channel'), channel_id: z.string(), style: Style }),
  z.object({ type: z.literal('team'), team_id: z.string(), style: Style }),
  z.object({ type: z.literal('emoji'), name: z.string(), unicode: optional, style: Style }),
  z.object({ type: z.literal('broadcast'), range: z.string(), style: Style }),
  z.object({ type: z.literal('color'), value: z.string(), style: Style }),
  z.object({
    type: z.literal('date'),
    timestamp: z.number(),
    fallback: optional,
    url: optional,
    style: Style,
  }),
]);
export type Inline = z.infer<typeof Inline>;

/** The possible texts of element types that Slack added later. */
const Readable = z.object({ text: optional, url: optional, style: Style });

const inlines = z.array(z.unknown()).transform((raw) =>
  raw.flatMap((element): Inline[] => {
    const parsed = Inline.safeParse(element);
    if (parsed.success) return [parsed.data];
    const { text, url, style } = Readable.safeParse(element).data ?? {};
    if (url) return [{ type: 'link', url, text, style }];
    return text ? [{ type: 'text', text, style }] : [];
  }),
);

const Section = z.object({ type: z.literal('rich_text_section'), elements: inlines });
const Preformatted = z.object({ type: z.literal('rich_text_preformatted'), elements: inlines });
const Quote = z.object({ type: z.literal('rich_text_quote'), elements: inlines });
const count = z.number().int().nonnegative().optional().catch(undefined);
const List = z.object({
  type: z.literal('rich_text_list'),
  style: z.enum(['bullet', 'ordered']).catch('bullet'),
  indent: count,
  offset: count,
  elements: z.array(Section),
});

const Element = z.discriminatedUnion('type', [Section, Preformatted, Quote, List]);
export type Element = z.infer<typeof Element>;
export type ListElement = z.infer<typeof List>;

/** An unknown element is skipped, never fatal. */
export const RichText = z.object({
  type: z.literal('rich_text'),
  elements: z.array(z.unknown()).transform((raw) =>
    raw.flatMap((element) => {
      const parsed = Element.safeParse(element);
      return parsed.success ? [parsed.data] : [];
    }),
  ),
});

/** A `rich_text` block to send. */
export interface RichTextBlock {
  type: 'rich_text';
  elements: Element[];
}

export function textOf(text: string, style?: Style): Inline {
  return style && Object.values(style).some(Boolean)
    ? { type: 'text', text, style }
    : { type: 'text', text, style: undefined };
}

/** Slack rejects empty text and hides empty sections. */
export function sectionOf(inlines: readonly Inline[]): Element & { type: 'rich_text_section' } {
  const elements = inlines.filter((inline) => inline.type !== 'text' || inline.text !== '');
  return { type: 'rich_text_section', elements: elements.length > 0 ? elements : [textOf(' ')] };
}
