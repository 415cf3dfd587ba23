import { sql } from 'kysely';

import { createLanes } from '../../platform/lanes/index.ts';
import type { Bridge } from '../bridge.ts';
import { respond } from '../chat/respond.ts';
import type { EventOf } from '../intake/chat-event.ts';
import type { Turn } from '../intake/turn.ts';
import { type ChatPlace, eventKey } from '../links/ids.ts';

/**
 * *Retry* in the menu of a message that bears ⚠️: what is parked of it is put back into its lane, as `deskbridge parked
 * retry` does (B54). Anybody who sees the message may: the worst that comes of it is the same mark again.
 */
export async function retryMessage(bridge: Bridge, turn: Turn<EventOf<'shortcut'>>): Promise<void> {
  const { message, responseUrl } = turn.event.shortcut;
  const ids = await parkedOf(bridge, message);
  const retried =
    ids.length === 0 ? 0 : await createLanes({ database: bridge.database, log: bridge.log }).retryParked(ids);
  await turn.finish(`B54 retry: ${retried} put back`);
  await respond(bridge, responseUrl, {
    text:
      retried === 0
        ? 'Nothing of this message is given up: it crossed, waits for its turn, or was never for a ticket. *Why?* in its menu tells which.'
        : 'It is tried again now. When it has crossed, the :warning: goes.',
  });
}

/** The parked jobs of what was told of a message. */
async function parkedOf({ database }: Bridge, place: ChatPlace): Promise<number[]> {
  const { rows } = await sql<{ id: number }>`
    select job.id from job join inbox on inbox.id = job.payload ->> 'inbox'
    where job.state = 'parked' and inbox.source = 'chat'
      and (inbox.event_key in (${eventKey.message(place)}, ${eventKey.deletion(place)})
        or starts_with(inbox.event_key, ${eventKey.edits(place)})
        or starts_with(inbox.event_key, ${eventKey.reactions(place)}))
    order by job.id`.execute(database.db);
  return rows.map(({ id }) => id);
}
