import { z } from 'zod';

import { LIMITS } from '../limits.ts';
import { anyText, id, plainText } from './composition.ts';
import { button, image } from './elements.ts';
import { richText } from './rich-text.ts';

const block = { block_id: id.optional() };
const address = z.string().min(1).max(LIMITS.urlChars);
const alt = z.string().min(1).max(LIMITS.altTextChars);

/** docs.slack.dev/reference/block-kit/blocks/image-block: an address or a file of Slack's, never neither. */
export const imageBlock = z
  .looseObject({
    type: z.literal('image'),
    ...block,
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
  ...block,
  hero_image: image.optional(),
  icon: image.optional(),
  title: anyText(LIMITS.cardTitleChars).optional(),
  subtitle: anyText(LIMITS.cardTitleChars).optional(),
  body: anyText(LIMITS.cardBodyChars).optional(),
  actions: z.array(button).optional(),
});

const taskCard = z.looseObject({
  type: z.literal('task_card'),
  ...block,
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
    ...block,
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
    ...block,
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
    ...block,
    text: anyText(LIMITS.sectionTextChars),
    level: z.enum(['default', 'info', 'warning', 'error', 'success']).optional(),
  }),
  z.looseObject({
    type: z.literal('carousel'),
    ...block,
    elements: z.array(card).min(1).max(LIMITS.carouselCards),
  }),
  z.looseObject({
    type: z.literal('plan'),
    ...block,
    title: z.string().min(1),
    tasks: z.array(taskCard).optional(),
  }),
] as const;
