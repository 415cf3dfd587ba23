import { z } from 'zod';

import { FORM_CALLBACK, FORM_ACTIONS, matchingOptions, matchingKinds } from './blocks.ts';
import { optionsOf } from '../../../contract/index.ts';
import { inTime } from '../../../platform/in-time.ts';
import type { Bridge } from '../../bridge.ts';
import { blockOf, OWN_QUESTIONS, formErrors } from './rules.ts';
import type { ChatEvent } from '../../slack/chat-event.ts';
import { readFormContext } from './drafts.ts';
import { suggestAnswers, formsAt } from './open-form.ts';
import { whenPaused } from './similar.ts';
import type { ChatAction } from '../../slack/interaction.ts';
import type { AnswerAtOnce } from '../../inbox/answer-in-time.ts';

const View = z.object({ callback_id: z.literal(FORM_CALLBACK), private_metadata: z.string() });

/**
 * A user types into a menu with external data
 * (https://docs.slack.dev/reference/interaction-payloads/block_suggestion-payload).
 */
const Suggestion = z.object({
  type: z.literal('block_suggestion'),
  block_id: z.string(),
  value: z.string(),
  view: View,
});
type Suggestion = z.infer<typeof Suggestion>;

const Question = z.object({
  type: z.literal('input'),
  block_id: z.string(),
  optional: z.boolean().catch(false),
  element: z.object({ action_id: z.string() }),
});

const Questions = z.object({ view: z.object({ blocks: z.array(Question.optional().catch(undefined)) }) });

/** Returns the required questions of a submitted form, and those whose answer must be in the future. */
function questionsIn(body: unknown): { required: string[]; due: string[] } {
  const blocks = Questions.safeParse(body).data?.view.blocks ?? [];
  const questions = blocks.filter((block) => block !== undefined);
  const due = questions.filter(({ element }) => element.action_id === FORM_ACTIONS.due);
  return {
    required: questions.filter(({ optional }) => !optional).map((block) => block.block_id),
    due: due.map((block) => block.block_id),
  };
}

/**
 * Answers a form's requests within the acknowledgement (B37): the choices of a menu, and validation errors. A title
 * that is being typed is searched for once its author pauses, and not stored. Undefined for everything else: that is an
 * event, stored and handled later.
 */
export function answerForm(
  bridge: Bridge,
  event: ChatEvent | undefined,
  body: unknown,
): AnswerAtOnce | Promise<AnswerAtOnce> | undefined {
  const suggestion = event ? undefined : Suggestion.safeParse(body).data;
  if (suggestion) return suggested(bridge, suggestion);
  if (event?.kind === 'action' && isTitle(event.action)) {
    const { action } = event;
    whenPaused(action.view?.id ?? '', () => {
      suggestAnswers(bridge, event).catch((error: unknown) =>
        bridge.log.warn(
          { err: error, event: 'form.no_answers' },
          'similar tickets could not be shown in a form',
        ),
      );
    });
    return { says: undefined };
  }
  if (event?.kind !== 'submission' || event.submission.callbackId !== FORM_CALLBACK) return undefined;
  const { filled, metadata } = event.submission;
  const shown = readFormContext(metadata)?.type ?? null;
  const errors = formErrors({ filled, shown, ...questionsIn(body) }, bridge.clock.now());
  if (Object.keys(errors).length === 0) return undefined;
  return { says: { response_action: 'errors', errors } };
}

function isTitle({ view, blockId }: ChatAction): boolean {
  return view?.callbackId === FORM_CALLBACK && blockId === OWN_QUESTIONS.title;
}

/** Slack waits three seconds for the choices of a menu. */
const PATIENCE_MS = 2_000;

async function suggested(bridge: Bridge, suggestion: Suggestion): Promise<AnswerAtOnce> {
  try {
    return { says: (await inTime(PATIENCE_MS, choicesFor(bridge, suggestion))) ?? { options: [] } };
  } catch (error) {
    bridge.log.warn({ err: error, event: 'menu.not_filled' }, 'the choices of a menu could not be found');
    return { says: { options: [] } };
  }
}

async function choicesFor(
  bridge: Bridge,
  { block_id: block, value, view }: Suggestion,
): Promise<Record<string, unknown>> {
  const context = readFormContext(view.private_metadata);
  const forms = await formsAt(bridge, context?.message?.channel ?? context?.channel);
  if (block === OWN_QUESTIONS.type) return matchingKinds(forms, value);
  const form = forms.find(({ id }) => id === context?.type);
  const field = form?.customFields.find((one) => blockOf(one) === block);
  if (!field) return { options: [] };
  return matchingOptions(
    field.customField.type === 'TAG_SELECT' ? await bridge.forms.tags() : optionsOf(field),
    value,
  );
}
