import type { App, Context } from '@slack/bolt';

import { GiveUp } from '../../platform/engine/index.ts';
import type { Bridge } from '../bridge.ts';
import type { ChatEvent, EventOf } from '../slack/chat-event.ts';
import type { Done } from '../work.ts';
import { EventContext } from './event-context.ts';

/** Adds the listeners of a part of the bridge to the Bolt app. */
export type Listeners = (app: App, bridge: Bridge) => void;

/** Returns what travels with an envelope through Bolt. */
export const propertiesOf = (ctx: EventContext<ChatEvent>) => ({ ctx });

function contextOf({ ctx }: Context): EventContext<ChatEvent> {
  if (!(ctx instanceof EventContext))
    throw new GiveUp('an envelope reached its listener without its context');
  return ctx as EventContext<ChatEvent>;
}

/**
 * Returns a Bolt listener that works a stored envelope with what was read from it. Bolt discards what a listener
 * returns, and calls all that match at once: the result goes to the context, which lets only one listener act.
 * @param takes which of this kind; all where it is absent.
 */
export function listener<Kind extends ChatEvent['kind']>(
  bridge: Bridge,
  kind: Kind,
  work: (bridge: Bridge, ctx: EventContext<EventOf<Kind>>) => Promise<Done>,
  takes: (event: EventOf<Kind>) => boolean = () => true,
): (args: { context: Context }) => Promise<void> {
  return async ({ context }) => {
    const ctx = contextOf(context);
    if (ctx.event.kind !== kind || !takes(ctx.event as EventOf<Kind>)) return;
    ctx.take();
    await work(bridge, ctx as EventContext<EventOf<Kind>>);
  };
}
