import type { Bridge } from '../../bridge.ts';
import type { EventContext } from '../../inbox/event-context.ts';
import type { EventOf } from '../../slack/chat-event.ts';
import { respond } from '../../slack/respond.ts';
import type { Done } from '../../work.ts';
import { chooseNotices } from './blocks.ts';

/** A person chose what to be notified of (B43). */
export async function pressChoice(bridge: Bridge, ctx: EventContext<EventOf<'action'>>): Promise<Done> {
  const { action } = ctx.event;
  const answer = await chooseNotices(bridge, action, action.value);
  ctx.afterwards(() => respond(bridge, action.responseUrl, { ...answer, replaces: true }));
  return ctx.finish(`button ${action.actionId}`);
}
