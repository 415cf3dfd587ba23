import type { App, Context } from '@slack/bolt';

import { GiveUp } from '../../platform/engine/index.ts';
import type { Bridge } from '../bridge.ts';
import type { ChatEvent, EventOf } from '../slack/chat-event.ts';
import type { Done } from '../work.ts';
import { EventContext } from './event-context.ts';

/** Registers a feature's listeners with the Bolt app. */
export type Listeners = (app: App, bridge: Bridge) => void;

/** Returns the custom properties with which Bolt hands an event's context to its listener. */
export const boltProperties = (ctx: EventContext<ChatEvent>) => ({ ctx });

function contextOf({ ctx }: Context): EventContext<ChatEvent> {
  if (!(ctx instanceof EventContext)) throw new GiveUp('an event reached its listener without its context');
  return ctx as EventContext<ChatEvent>;
}

/**
 * Returns a Bolt listener that handles stored events of one kind. Bolt ignores what a listener returns and calls all
 * matching listeners concurrently, so the result is kept in the event's context, which only one listener may claim.
 * @param accepts selects events of this kind; by default all.
 */
export function listener<Kind extends ChatEvent['kind']>(
  bridge: Bridge,
  kind: Kind,
  handle: (bridge: Bridge, ctx: EventContext<EventOf<Kind>>) => Promise<Done>,
  accepts: (event: EventOf<Kind>) => boolean = () => true,
): (args: { context: Context }) => Promise<void> {
  return async ({ context }) => {
    const ctx = contextOf(context);
    if (ctx.event.kind !== kind || !accepts(ctx.event as EventOf<Kind>)) return;
    ctx.claim();
    await handle(bridge, ctx as EventContext<EventOf<Kind>>);
  };
}
