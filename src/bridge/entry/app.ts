import { App, type Receiver } from '@slack/bolt';

import type { Bridge } from '../bridge.ts';
import type { Feature } from '../feature.ts';
import type { ChatEvent } from '../slack/chat-event.ts';
import { ChatError } from '../slack/errors.ts';
import { interactionOf, tellOf, WINDOW_LATE, WINDOW_REFUSED } from '../inbox/answer-in-time.ts';
import { EventContext } from '../inbox/event-context.ts';

/** Events reach Bolt through `App.processEvent`, from their work; the intake receives them from Slack. */
const NO_RECEIVER: Receiver = {
  init: () => undefined,
  start: async () => undefined,
  stop: async () => undefined,
};

/**
 * Creates the Bolt app with the handlers of all parts, by the kinds of our own parsed events. It decides nothing: any
 * error fails the event's work.
 */
export function createApp(bridge: Bridge, parts: readonly Feature[]): App {
  const app = new App({
    receiver: NO_RECEIVER,
    // The bot's own posts are recognised with everything else that is decided about a message.
    ignoreSelf: false,
    authorize: async () => ({
      teamId: bridge.bot.team,
      botId: bridge.bot.botId,
      botUserId: bridge.bot.userId,
    }),
  });
  const byKind = Map.groupBy(
    parts.flatMap((part) => part.handlers ?? []),
    ({ kind }) => kind,
  );
  for (const [kind, handlers] of byKind)
    app.event(kind as string, async ({ context }) => {
      const ctx = eventContextOf(context);
      await handlers.find((one) => one.takes(ctx.event))?.work(bridge, ctx);
    });
  // A failed handler must fail its work, or that would count as done.
  app.error(async (error) => {
    throw error;
  });
  return app;
}

/** Returns the context that was passed along with the event. */
function eventContextOf({ ctx }: Record<string, unknown>): EventContext<ChatEvent> {
  if (!(ctx instanceof EventContext)) throw new Error('an event reached its handler without its context');
  return ctx as EventContext<ChatEvent>;
}

/**
 * Opens an event's modal, empty, within the request: its trigger expires after three seconds, and the service may be
 * slow (B25, B46). Its work fills it, or shows why not. Never throws.
 */
export async function openWindow(bridge: Bridge, parts: readonly Feature[], event: ChatEvent): Promise<void> {
  const trigger = triggerOf(event);
  if (trigger === undefined) return;
  try {
    for (const part of parts) {
      const view = await part.window?.(bridge, event);
      if (!view) continue;
      await bridge.modals.open(trigger, view);
      return;
    }
  } catch (error) {
    bridge.log.warn({ err: error, event: 'modal.not_opened' }, 'a modal could not be opened');
    await tellOf(
      bridge,
      event,
    )({ text: isLate(error) ? WINDOW_LATE : WINDOW_REFUSED }).catch((failed: unknown) =>
      bridge.log.warn(
        { err: failed, event: 'modal.not_told' },
        'a person could not be told why no modal opened',
      ),
    );
  }
}

/** Slack opens no window three seconds after it was asked for, and only one. */
function isLate(error: unknown): boolean {
  return (
    error instanceof ChatError && ['expired_trigger_id', 'exchanged_trigger_id'].includes(error.code ?? '')
  );
}

function triggerOf(event: ChatEvent): string | undefined {
  return interactionOf(event)?.triggerId;
}
