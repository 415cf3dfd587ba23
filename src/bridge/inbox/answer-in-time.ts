import type { ModalView } from '@slack/types';

import { AnsweredError, ServiceError } from '../../client/index.ts';
import type { Bridge } from '../bridge.ts';
import { type Answer, respond } from '../slack/respond.ts';
import type { ChatEvent } from '../slack/chat-event.ts';
import { sayingModal } from '../blocks/modals.ts';
import type { EventContext } from './event-context.ts';
import { inTime } from '../../platform/in-time.ts';
import { planPosts } from '../store/posts.ts';
import { RetryLater } from '../../platform/engine/index.ts';
import { escapeMrkdwn } from '../../platform/text/mrkdwn.ts';
import { ChatError } from '../slack/errors.ts';
import { modalId } from '../slack/ids.ts';
import type { Done } from '../work.ts';

/** After this time the user learns that the work continues (B34): Slack itself gives up after three seconds. */
const PATIENCE_MS = 800;

/** The text that the user sees until a slow answer is ready. */
export const STILL_WORKING =
  'Still working. The help desk is responding slowly; the answer will appear here.';

/** The body of an acknowledgement that is all there is to an event; undefined if it has none. */
export interface AnswerAtOnce {
  says: Record<string, unknown> | undefined;
}

/** Sends the answer. */
export type Tell = (answer: Answer) => Promise<void>;

/**
 * Runs a user's request and finishes its event; within three seconds the user sees its effect, an answer, or that it
 * takes longer (B34, B47).
 * @param changes it changes something: then it is retried while the service is unavailable.
 * @param seen the effect itself is visible: the answer is sent only to a user who was asked to wait.
 */
export async function answerInTime(
  bridge: Bridge,
  ctx: EventContext<unknown>,
  tell: Tell,
  { changes, outcome, seen = false }: { changes: boolean; outcome: string; seen?: boolean },
  work: () => Promise<Answer & { refused?: boolean }>,
): Promise<Done> {
  const working = work();
  const ended = working.then(
    () => true,
    () => true,
  );
  try {
    const isSlow = !(await inTime(PATIENCE_MS, ended));
    if (isSlow && ctx.attempt === 1) await tell({ text: STILL_WORKING });
    const { refused = false, ...answer } = await working;
    if (!seen || refused || isSlow || ctx.attempt > 1) ctx.afterwards(() => tell(answer));
    return ctx.finish(refused ? `${outcome}, refused` : outcome);
  } catch (error) {
    return reportFailure(bridge, ctx, error, tell, changes);
  }
}

/** Retries temporary failures, and says so; reports permanent ones (B47). */
export async function reportFailure(
  bridge: Bridge,
  ctx: EventContext<unknown>,
  error: unknown,
  tell: Tell,
  changes: boolean,
): Promise<Done> {
  if (!(error instanceof ServiceError)) throw error;
  if (error.next === 'retry' && !changes) {
    ctx.afterwards(() => tell({ text: 'The help desk is unavailable. Try again in a minute.' }));
    return ctx.finish('the service is away');
  }
  if (error.next === 'retry') return reportOutage(ctx, error, tell);
  bridge.log.warn({ err: error }, 'the service refused a request from chat');
  // Whom a ticket may be assigned to only the service knows: its reason is for people.
  const stranger =
    error instanceof AnsweredError && error.issues.find(({ path }) => path.endsWith('assigneeId'));
  const text = stranger
    ? `Nothing changed. ${escapeMrkdwn(stranger.message)}.`
    : 'The help desk refused this request, so nothing changed. Ask an admin: the reason is in its log.';
  ctx.afterwards(() => tell({ text }));
  return ctx.finish('the service refused');
}

/** Throws the error again, and says once, if it is temporary, that the request waits for its end (B47). */
export async function reportOutage(ctx: EventContext<unknown>, error: unknown, tell: Tell): Promise<never> {
  if (error instanceof ServiceError && error.next === 'retry' && ctx.attempt === 1)
    await tell({
      text: 'The help desk is unavailable. Your request is saved and will be done when it is available again. The result will appear here.',
    });
  throw error;
}

/** Sends an ephemeral message to a user where they acted; best effort (B0a). */
export function sendEphemeral(
  bridge: Bridge,
  {
    team,
    channel,
    user,
    thread,
  }: { team: string; channel: string; user: string; thread: string | undefined },
): Tell {
  return ({ text }) =>
    bridge.engine.transaction((tx) =>
      planPosts(tx, bridge, { conversationId: null, team, channel }, [
        { kind: 'ephemeral', user, text, thread },
      ]),
    );
}

/** An action that can be answered in the place where the user acted. */
interface InteractionFacts {
  team: string;
  user: string;
  triggerId: string;
  /** Empty where Slack gives none: in a window, at the Home, for a global shortcut. */
  responseUrl: string;
}

/** Returns who did what an event reports, and where they are answered; undefined for events that nobody pressed. */
export function interactionOf(event: ChatEvent): InteractionFacts | undefined {
  switch (event.kind) {
    case 'action':
      return event.action;
    case 'shortcut':
      return event.shortcut;
    case 'global-shortcut':
      return { ...event.shortcut, responseUrl: '' };
    case 'command':
      return event.command;
    default:
      return undefined;
  }
}

/** Answers a person where they acted, else by direct message. */
export function createTell(bridge: Bridge, event: ChatEvent): Tell {
  return async (answer) => {
    const by = interactionOf(event);
    if (by && by.responseUrl !== '') return respond(bridge, by.responseUrl, answer);
    if (!by) return;
    const { team, user } = by;
    const channel = await bridge.chat.directChannel(user);
    await bridge.engine.transaction((tx) =>
      planPosts(tx, bridge, { conversationId: null, team, channel }, [
        { kind: 'bot-message', text: answer.text },
      ]),
    );
  };
}

export const WINDOW_LATE = 'The window did not open in time. Try again.';
export const WINDOW_REFUSED =
  'Slack refused to show the window, so nothing changed. Try again; if it happens again, ask an admin: the reason is in the help desk’s log.';
const WINDOW_CLOSED =
  'The window was closed before it could be filled. Press the button again if you still need it.';

/** For this long a modal may still be opening, in another process. */
const OPENING_MS = 4_000;
const LOOK_AGAIN_MS = 250;

/**
 * Fills the modal that an event opened; waits for it if it is not there yet. If Slack refuses what it should show, the
 * modal says so, or else its person is told; as they are if it was closed meanwhile.
 */
export async function fillModal(
  bridge: Bridge,
  { receivedAt, event }: Pick<EventContext<ChatEvent>, 'receivedAt' | 'event'>,
  triggerId: string,
  view: ModalView,
): Promise<void> {
  const { modals, clock, log } = bridge;
  const id = modalId(triggerId);
  try {
    await modals.update(id, view);
  } catch (error) {
    if (!(error instanceof ChatError && error.next === 'give-up')) throw error;
    if (modals.isUnopened(triggerId)) return;
    // While Slack has not answered, its person is told by who waits for that, or sees the modal.
    const isOpening =
      modals.isOpening(triggerId) || clock.now().getTime() - receivedAt.getTime() < OPENING_MS;
    if (error.code === 'not_found' && isOpening)
      throw new RetryLater('the modal is being opened', { afterMs: LOOK_AGAIN_MS, countsAttempt: false });
    log.warn({ err: error, event: 'modal.not_filled' }, 'a modal could not be filled');
    if (error.code === 'not_found') return createTell(bridge, event)({ text: WINDOW_CLOSED });
    await sayRefused(bridge, event, id, view.title.text);
  }
}

/** Replaces the contents of an open modal; false if it was closed. If Slack refuses them, its person is told. */
export async function changeModal(
  bridge: Bridge,
  event: ChatEvent,
  viewId: string,
  view: ModalView,
): Promise<boolean> {
  try {
    await bridge.modals.change(viewId, view);
    return true;
  } catch (error) {
    if (!(error instanceof ChatError && error.next === 'give-up')) throw error;
    if (error.code === 'not_found') return false;
    bridge.log.warn({ err: error, event: 'modal.not_changed' }, 'a modal could not be changed');
    // What was typed into it stays.
    await createTell(bridge, event)({ text: WINDOW_REFUSED });
    return false;
  }
}

async function sayRefused(bridge: Bridge, event: ChatEvent, id: string, title: string): Promise<void> {
  try {
    await bridge.modals.update(id, sayingModal(title, WINDOW_REFUSED));
  } catch (error) {
    if (!(error instanceof ChatError)) throw error;
    await createTell(bridge, event)({ text: WINDOW_REFUSED });
  }
}
