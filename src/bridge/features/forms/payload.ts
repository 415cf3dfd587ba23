import { z } from 'zod';

import { FORM_CALLBACK } from './blocks.ts';
import { FORM_ACTIONS } from './form-input.ts';

const Frame = {
  user: z.object({ id: z.string() }),
  team: z.object({ id: z.string() }).nullish().catch(undefined),
};
const View = z.object({ callback_id: z.literal(FORM_CALLBACK), private_metadata: z.string() });

/**
 * A user types into a menu with external data
 * (https://docs.slack.dev/reference/interaction-payloads/block_suggestion-payload).
 */
const Suggestion = z.object({
  type: z.literal('block_suggestion'),
  ...Frame,
  block_id: z.string(),
  value: z.string(),
  view: View,
});
export type Suggestion = z.infer<typeof Suggestion>;

/** Returns undefined unless it is a menu of a form. */
export function parseSuggestion(body: unknown): Suggestion | undefined {
  return Suggestion.safeParse(body).data;
}

const Question = z.object({
  type: z.literal('input'),
  block_id: z.string(),
  optional: z.boolean().catch(false),
  element: z.object({ action_id: z.string() }),
});

/** Returns the required questions of a submitted form, and those whose answer must be in the future. */
export function questionsIn(body: unknown): { required: string[]; due: string[] } {
  const blocks = z
    .object({ view: z.object({ blocks: z.array(Question.optional().catch(undefined)) }) })
    .safeParse(body);
  const questions = (blocks.data?.view.blocks ?? []).filter((block) => block !== undefined);
  return {
    required: questions.filter(({ optional }) => !optional).map((block) => block.block_id),
    due: questions
      .filter(({ element }) => element.action_id === FORM_ACTIONS.due)
      .map((block) => block.block_id),
  };
}
