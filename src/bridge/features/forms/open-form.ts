import type { ModalView } from '@slack/types';
import { isDeepStrictEqual } from 'node:util';

import { ServiceError } from '../../../client/index.ts';
import {
  FORM_WINDOW,
  type FormMenus,
  type FormShape,
  isTooLong,
  SOMETHING_ELSE,
} from '../../../contract/index.ts';
import { formModal, FORM_BUTTONS, FORM_CALLBACK, FORM_ACTIONS } from './blocks.ts';
import { optionalProperty } from '../../blocks/kit.ts';
import { sayingModal, SHORTCUTS, loadingModal } from '../../blocks/modals.ts';
import type { SimilarTicket } from '../../tickets/rules.ts';
import type { Bridge } from '../../bridge.ts';
import { fieldOf, type Form, type FormField, OWN_QUESTIONS } from './rules.ts';
import type { Filled, ChatAction } from '../../slack/interaction.ts';
import { type FormContext, findDraft, type FormPlace, readFormContext } from './drafts.ts';
import { ChatError } from '../../slack/errors.ts';
import { asksForForm } from '../../tickets/command-rules.ts';
import { titleFromText } from '../../tickets/rules.ts';
import type { ChatEvent, ChatMessage, EventOf } from '../../slack/chat-event.ts';
import type { EventContext } from '../../inbox/event-context.ts';
import { modalId } from '../../slack/ids.ts';
import { chatToMarkdown } from '../../text/from-chat.ts';
import { markdownWords } from '../../text/to-chat.ts';
import { describedBy, readParent } from '../../threads/open-ticket.ts';
import { changeModal, fillModal } from '../../inbox/answer-in-time.ts';
import { similarFor } from './similar.ts';
import type { Done } from '../../work.ts';

interface FormState extends Omit<FormContext, 'type' | 'similar'> {
  filled: Filled;
  /** Tickets that may already answer what is asked. */
  similar: readonly SimilarTicket[];
}

/**
 * Returns the form for its current values (B37): the request types offered where it was opened, and the chosen one's
 * questions. Works from the cache while the service is unavailable.
 */
async function drawForm(bridge: Bridge, { filled, similar, ...context }: FormState): Promise<ModalView> {
  const forms = await formsAt(bridge, context.message?.channel ?? context.channel);
  const chosen = chosenOf(forms, filled[OWN_QUESTIONS.type]);
  if (chosen && isTooLong(chosen))
    return sayingModal(
      FORM_WINDOW.title,
      `*${chosen.name}* has more questions than a form in Slack can hold. Write what you need in a message instead; the team asks for the rest.`,
    );
  const metadata: FormContext = {
    ...context,
    type: chosen?.id ?? null,
    similar: similar.map(({ code }) => code),
  };
  const form = forms.find(({ id }) => id === chosen?.id);
  const menus = await menusOf(bridge, form);
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
    const channelQueue = channel === undefined ? undefined : await bridge.channels.of(channel);
    if (!channelQueue?.linked) return offered;
    const queue = await bridge.channels.queue(channelQueue.queueId);
    const named = new Set(queue?.requestTypes.map(({ id }) => id));
    return offered.filter(
      (form) => form.workspaceId === channelQueue.workspaceId && (named.size === 0 || named.has(form.id)),
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

interface Wanted {
  team: string;
  user: string;
  triggerId: string;
  place: FormPlace;
  /** The message that the ticket is about, as it was when it was chosen. */
  message?: ChatMessage;
  /** The draft that is opened again. */
  again?: string;
}

/** Returns how an event requests the form (B37); undefined for any other event. */
export function formWanted(event: ChatEvent): Wanted | undefined {
  switch (event.kind) {
    case 'global-shortcut':
      return event.shortcut.callbackId === SHORTCUTS.newTicket ? { ...event.shortcut, place: {} } : undefined;
    case 'shortcut': {
      const { team, user, triggerId, callbackId, message } = event.shortcut;
      if (callbackId !== SHORTCUTS.fillForm) return undefined;
      const place = { message: { channel: message.channel, root: message.root } };
      return { team, user, triggerId, place, message };
    }
    case 'command': {
      const { team, user, triggerId, channel, escaped } = event.command;
      return asksForForm(escaped) ? { team, user, triggerId, place: { channel } } : undefined;
    }
    case 'action': {
      const { team, user, triggerId, actionId, value } = event.action;
      if (actionId === FORM_BUTTONS.open) return { team, user, triggerId, place: {} };
      return actionId === FORM_BUTTONS.again ? { team, user, triggerId, place: {}, again: value } : undefined;
    }
    default:
      return undefined;
  }
}

/** The window of the form, empty, where an event asks for it. */
export async function formWindow(_: Bridge, event: ChatEvent): Promise<ModalView | undefined> {
  const wanted = formWanted(event);
  return wanted && loadingModal(FORM_WINDOW.title, modalId(wanted.triggerId));
}

/** Fills the open form: with the earlier draft, or with the message it is about. */
export async function fillForm(bridge: Bridge, ctx: EventContext<ChatEvent>): Promise<Done> {
  const wanted = formWanted(ctx.event);
  if (!wanted) return ctx.finish('asks for no form');
  const { triggerId, again } = wanted;
  const kept = again === undefined ? undefined : await findDraft(bridge, again, wanted);
  if (again !== undefined && !kept) {
    const expired = sayingModal(FORM_WINDOW.title, 'This form was submitted or has expired.');
    await fillModal(bridge, ctx, triggerId, expired);
    return ctx.finish('form: no such draft');
  }
  const place = kept?.context ?? wanted.place;
  const filled = kept?.filled ?? (await aboutMessage(bridge, wanted.team, place, wanted.message));
  const similar = await similarFor(bridge, wanted, filled);
  await fillModal(bridge, ctx, triggerId, await drawForm(bridge, { ...place, again, filled, similar }));
  return ctx.finish('form: opened');
}

/**
 * Returns a form's initial values: the text of the message it is about, if any: its thread's parent, or its own if the
 * bot cannot read the thread.
 */
async function aboutMessage(
  bridge: Bridge,
  team: string,
  { message }: FormPlace,
  chosen?: ChatMessage,
): Promise<Filled> {
  if (!message) return {};
  const root = await readParent(bridge, team, message.channel, message.root).catch((error: unknown) => {
    if (error instanceof ChatError) return undefined;
    throw error;
  });
  const about = root ?? chosen;
  if (!about) return {};
  const { title, description } = await wordsOf(bridge, about);
  return { [OWN_QUESTIONS.title]: title, [OWN_QUESTIONS.description]: fieldOf(description).shown };
}

/** Mentions stay as in Slack if the service is unavailable, so that the form still opens. */
async function wordsOf(
  bridge: Bridge,
  message: ChatMessage,
): Promise<{ title: string; description: string }> {
  try {
    return await describedBy(bridge, message);
  } catch (error) {
    if (!(error instanceof ServiceError)) throw error;
    const description = chatToMarkdown(message, { user: () => undefined, channel: () => undefined });
    return { title: titleFromText(markdownWords(description)), description };
  }
}

/** Another request type, or an answer with dependent questions: the form shows the current questions. */
export async function changeForm(bridge: Bridge, ctx: EventContext<EventOf<'action'>>): Promise<Done> {
  const { action } = ctx.event;
  const open = formOf(action);
  if (!open) return ctx.finish('not a form of ours');
  const similar = await similarFor(bridge, action, open.view.filled);
  if (!(await redraw(bridge, ctx.event, open, similar))) return ctx.finish('form: closed meanwhile');
  const isType = action.actionId === FORM_ACTIONS.type;
  return ctx.finish(isType ? 'form: another kind' : 'form: other questions');
}

/** The form is shown already: nothing waits for what comes beside a title. */
const TYPED_PATIENCE_MS = 15_000;

/** A title is being typed: the form shows tickets that may already answer it, where these are others than it shows. */
export async function suggestAnswers(bridge: Bridge, event: EventOf<'action'>): Promise<void> {
  const { action } = event;
  const open = formOf(action);
  if (!open) return;
  const similar = await similarFor(bridge, action, open.view.filled, TYPED_PATIENCE_MS);
  const codes = similar.map(({ code }) => code);
  if (!isDeepStrictEqual(codes, open.context.similar ?? [])) await redraw(bridge, event, open, similar);
}

interface OpenForm {
  view: NonNullable<ChatAction['view']>;
  context: FormContext;
}

function formOf({ view }: ChatAction): OpenForm | undefined {
  const context = view && readFormContext(view.metadata);
  return view && view.callbackId === FORM_CALLBACK && context ? { view, context } : undefined;
}

async function redraw(
  bridge: Bridge,
  event: EventOf<'action'>,
  { view, context }: OpenForm,
  similar: readonly SimilarTicket[],
): Promise<boolean> {
  // Typed values are in the view; fields that are not shown keep their initial values.
  const initial =
    context.again === undefined
      ? await aboutMessage(bridge, event.action.team, context)
      : (await findDraft(bridge, context.again, event.action))?.filled;
  const filled = { ...initial, ...view.filled };
  const shown = await drawForm(bridge, { ...context, filled, similar });
  return changeModal(bridge, event, view.id, {
    ...shown,
    ...optionalProperty('external_id', view.externalId),
  });
}
