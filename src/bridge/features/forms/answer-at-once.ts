import { setTimeout as after } from 'node:timers/promises';

import { optionsOf } from '../../../contract/index.ts';
import { FORM_CALLBACK, matching, matchingKinds } from './blocks.ts';
import type { Bridge } from '../../bridge.ts';
import { blockOf, OWN_QUESTIONS } from './rules.ts';
import { formErrors } from './error-rules.ts';
import type { ChatEvent } from '../../slack/chat-event.ts';
import { parseSuggestion, questionsIn, type Suggestion } from './payload.ts';
import { readFormContext } from './form-context.ts';
import { suggestAnswers } from './open-form.ts';
import { whenPaused } from './similar.ts';
import type { ChatAction } from '../../slack/interaction.ts';
import { formsAt } from './show-form.ts';

/** The body of the acknowledgement; undefined if it has none. */
interface AtOnce {
  says: Record<string, unknown> | undefined;
}

/**
 * Answers a form's requests within the acknowledgement (B37): the choices of a menu, and validation errors. A title that
 * is being typed is searched for once its author pauses, and not stored. Undefined for everything else: that is an event,
 * stored and handled later.
 */
export async function answerAtOnce(
  bridge: Bridge,
  event: ChatEvent | undefined,
  body: unknown,
): Promise<AtOnce | undefined> {
  const suggestion = event ? undefined : parseSuggestion(body);
  if (suggestion) return { says: await suggested(bridge, suggestion) };
  if (event?.kind === 'action' && isTitle(event.action)) {
    const { action } = event;
    whenPaused(action.view?.id ?? '', () => {
      suggestAnswers(bridge, action).catch((error: unknown) =>
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

async function suggested(bridge: Bridge, suggestion: Suggestion): Promise<Record<string, unknown>> {
  const done = new AbortController();
  const late = after(PATIENCE_MS, { options: [] }, { signal: done.signal }).catch(() => ({ options: [] }));
  try {
    return await Promise.race([choicesFor(bridge, suggestion), late]);
  } catch (error) {
    bridge.log.warn({ err: error, event: 'menu.not_filled' }, 'the choices of a menu could not be found');
    return { options: [] };
  } finally {
    done.abort();
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
  return matching(
    field.customField.type === 'TAG_SELECT' ? await bridge.forms.tags() : optionsOf(field),
    value,
  );
}
