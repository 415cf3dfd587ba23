import { ServiceError } from '../../../client/index.ts';
import { HOME_ACTIONS } from './blocks.ts';
import type { Bridge } from '../../bridge.ts';
import { parseHomePlace } from './rules.ts';
import type { EventOf } from '../../slack/chat-event.ts';
import type { ChatAction } from '../../slack/interaction.ts';
import type { EventContext } from '../../inbox/event-context.ts';
import { setHome } from './store.ts';
import { personOf } from '../../people/people.ts';
import { readTicket, TICKET_GONE } from '../../tickets/find-ticket.ts';
import { closeOrReopen } from '../../tickets/update-ticket.ts';
import type { Done } from '../../work.ts';

/** A user opened their Home (B38): draws the overview. */
export async function openHome(bridge: Bridge, ctx: EventContext<EventOf<'home'>>): Promise<Done> {
  const place = { part: 'all', page: 1 } as const;
  return ctx.finish('home opened', (tx) => setHome(tx, bridge, ctx.event, { place }));
}

/** Handles a button on a Home; errors are shown there. */
export async function pressHome(bridge: Bridge, ctx: EventContext<EventOf<'action'>>): Promise<Done> {
  const { action } = ctx.event;
  if (action.actionId !== HOME_ACTIONS.ticket) {
    const place = parseHomePlace(action.value);
    return ctx.finish('home: another page', (tx) => setHome(tx, bridge, action, { place }));
  }
  const [, act, ticketId = ''] = /^(close|reopen) (.+)$/s.exec(action.value) ?? [];
  // Slack itself follows a link.
  if (act !== 'close' && act !== 'reopen') return ctx.finish('home: a link');
  try {
    const notice = await closeOrReopenFromHome(bridge, action, ticketId, act);
    return ctx.finish(notice === undefined ? `home: ${act}` : `home: ${act}, refused`, (tx) =>
      setHome(tx, bridge, action, { notice: notice ?? null }),
    );
  } catch (error) {
    if (error instanceof ServiceError && error.next === 'retry' && ctx.attempt === 1)
      await bridge.engine.transaction((tx) => setHome(tx, bridge, action, { notice: KEPT }));
    throw error;
  }
}

const KEPT =
  'The help desk is unavailable. Your request is saved and will be done when it is available again.';

/** Closes or reopens a ticket from its line. Returns what to tell the person; undefined if the Home shows it. */
async function closeOrReopenFromHome(
  bridge: Bridge,
  { team, user }: ChatAction,
  ticketId: string,
  act: 'close' | 'reopen',
): Promise<string | undefined> {
  const ticket = await readTicket(bridge, ticketId);
  if (!ticket) return TICKET_GONE;
  const answer = await closeOrReopen(bridge, ticket, await personOf(bridge, team, user), act);
  return answer.refused || ticket.mergedIntoId ? answer.text : undefined;
}
