import type { ModalView } from '@slack/types';

import { ServiceError } from '../../../client/index.ts';
import {
  FORM_WINDOW,
  type FormMenus,
  type FormShape,
  isTooLong,
  SOMETHING_ELSE,
} from '../../../contract/index.ts';
import { formModal } from './blocks.ts';
import { sayingModal } from '../../blocks/modals.ts';
import type { SimilarTicket } from '../../tickets/similar.ts';
import type { Bridge } from '../../bridge.ts';
import { type Form, type FormField, OWN_QUESTIONS } from './rules.ts';
import type { Filled } from '../../slack/interaction.ts';
import type { FormContext } from './form-context.ts';

interface FormState extends Omit<FormContext, 'type' | 'similar'> {
  filled: Filled;
  /** Tickets that may already answer what is asked. */
  similar: readonly SimilarTicket[];
}

/**
 * Returns the form for its current values (B37): the request types offered where it was opened, and the chosen one's
 * questions. Works from the cache while the service is unavailable.
 */
export async function drawForm(
  bridge: Bridge,
  { filled, similar, ...context }: FormState,
): Promise<ModalView> {
  const forms = await formsAt(bridge, context.message?.channel ?? context.channel);
  const chosen = chosenOf(forms, filled[OWN_QUESTIONS.type]);
  if (chosen && isTooLong(chosen)) return sayingModal(FORM_WINDOW.title, tooLong(chosen));
  const metadata: FormContext = {
    ...context,
    type: chosen?.id ?? null,
    similar: similar.map(({ code }) => code),
  };
  const menus = await menusOf(
    bridge,
    forms.find(({ id }) => id === chosen?.id),
  );
  return formModal({ forms, chosen, filled, menus, similar }, JSON.stringify(metadata));
}

/** Returns the chosen one; else the only one, or the workspace's default. */
function chosenOf(
  forms: readonly Form[],
  chosen: string | readonly string[] | null | undefined,
): FormShape<FormField> | undefined {
  if (chosen === SOMETHING_ELSE.id && forms.length > 0) return SOMETHING_ELSE;
  const named = forms.find(({ id }) => id === chosen);
  return named ?? (forms.length === 1 ? forms[0] : forms.find(({ isDefault }) => isDefault));
}

/**
 * Returns the request types offered in a channel: its queue's, if it names some, else its workspace's; elsewhere those
 * of every workspace offered in chat (B45).
 */
export async function formsAt(bridge: Bridge, channel: string | undefined): Promise<readonly Form[]> {
  const all = await bridge.forms.all();
  try {
    const offered: Form[] = [];
    for (const form of all) if (await bridge.channels.isOffered(form.workspaceId)) offered.push(form);
    const home = channel === undefined ? undefined : await bridge.channels.of(channel);
    if (!home?.linked) return offered;
    const queue = await bridge.channels.queue(home.queueId);
    const named = new Set(queue?.requestTypes.map(({ id }) => id));
    return offered.filter(
      (form) => form.workspaceId === home.workspaceId && (named.size === 0 || named.has(form.id)),
    );
  } catch (error) {
    // Unavailable: offers everything that is not known to be hidden; it is checked again on submission.
    if (error instanceof ServiceError) return all;
    throw error;
  }
}

async function menusOf(bridge: Bridge, form: Form | undefined): Promise<FormMenus> {
  const asks = (type: string) => form?.customFields.some(({ customField }) => customField.type === type);
  return {
    tags: asks('TAG_SELECT') ? await bridge.forms.tags() : [],
    statuses:
      form && asks('STATUS_SELECT')
        ? await bridge.statuses.ofType(form.workspaceId, form.id).catch((error: unknown) => {
            if (error instanceof ServiceError) return [];
            throw error;
          })
        : [],
  };
}

function tooLong({ name }: FormShape<FormField>): string {
  return `*${name}* asks more than fits into a window of chat. Write what you need in a message instead, and the team asks for the rest.`;
}
