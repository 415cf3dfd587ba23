// A user's Home in the app: what waits for them, and their requests. Once opened, it is updated with every change.

import { ServiceError } from '../../../client/index.ts';
import { HOME_ACTIONS, HOME_CALLBACK } from './blocks.ts';
import type { Bridge } from '../../bridge.ts';
import { parseHomePlace } from './rules.ts';
import type { EventOf } from '../../slack/chat-event.ts';
import type { ChatAction } from '../../slack/interaction.ts';
import type { EventContext } from '../../inbox/event-context.ts';
import { setHome, homePost, homesOf, planHome } from './store.ts';
import { personOf } from '../../people/people.ts';
import { readTicket, TICKET_GONE } from '../../tickets/find-ticket.ts';
import { closeOrReopen } from '../../tickets/update-ticket.ts';
import { type Feature, on } from '../../feature.ts';
import type { Done } from '../../work.ts';

/** A user opened their Home (B38): draws the overview. */
async function openHome(bridge: Bridge, ctx: EventContext<EventOf<'home'>>): Promise<Done> {
  const place = { part: 'all', page: 1 } as const;
  return ctx.finish('home opened', (tx) => setHome(tx, bridge, ctx.event, { place }));
}

/** Returns whether a button or menu is on a Home and belongs to it. */
function isOnHome({ view, actionId }: ChatAction): boolean {
  return view?.callbackId === HOME_CALLBACK && actionId.startsWith('home_');
}

/** Handles a button on a Home; errors are shown there. */
async function pressHome(bridge: Bridge, ctx: EventContext<EventOf<'action'>>): Promise<Done> {
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

export { homesOf, planHome } from './store.ts';

export const home: Feature = {
  posts: [homePost],
  handlers: [on('home', openHome), on('action', pressHome, ({ action }) => isOnHome(action))],
  hooks: (bridge) => ({
    ticketChanged: async ({ ticketId, ticket }) => {
      const homes = await homesOf(bridge, ticketId, ticket);
      if (homes.length === 0) return undefined;
      return async (tx) => {
        for (const one of homes) await planHome(tx, bridge, one);
      };
    },
  }),
};
