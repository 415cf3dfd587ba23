import { sql } from 'kysely';

import type { Agent } from '../../contract/index.ts';
import { agentRecords } from '../agents/records.ts';
import type { ServiceDb } from '../handler.ts';
import type { StoredTicket } from '../tickets/find.ts';

/** The default name of the help desk's bot: that of the app's manifest. */
const BOT_NAME = 'deskbridge';

/** Returns where a ticket's conversation takes place, and which of its users are bots. */
export async function conversationOf(db: ServiceDb, ticket: StoredTicket) {
  const { workspace_id, queue_id, chat_channel_id, requester_id } = ticket;
  const queue = await db
    .selectFrom('queue')
    .select(['settings_id', 'settings', 'visibility'])
    .where('workspace_id', '=', workspace_id)
    .where('id', '=', queue_id)
    .executeTakeFirstOrThrow();
  const workspace = await db
    .selectFrom('workspace')
    .select('chat_bot_username')
    .where('id', '=', workspace_id)
    .executeTakeFirstOrThrow();
  const channel = await db
    .selectFrom('chat_channel')
    .select('id')
    .where('workspace_id', '=', workspace_id)
    .where('channel_id', '=', chat_channel_id ?? '')
    .where('deleted_at', 'is', null)
    .executeTakeFirst();
  const bots = await db
    .selectFrom('person')
    .select('id')
    .where('workspace_id', '=', workspace_id)
    .where('is_bot', '=', true)
    .where((by) =>
      by.or([
        by('id', '=', requester_id ?? ''),
        by(
          'id',
          'in',
          by
            .selectFrom('ticket_message as m')
            .select('m.author_id')
            .where('m.workspace_id', '=', workspace_id)
            .where('m.ticket_id', '=', ticket.id)
            .where('m.author_id', 'is not', null)
            .$castTo<{ author_id: string }>(),
        ),
      ]),
    )
    .execute();
  const ids = new Set<string | null>(bots.map(({ id }) => id));
  return {
    queue,
    isLinked: channel !== undefined,
    botName: workspace.chat_bot_username ?? BOT_NAME,
    bots: ids,
    requesterIsBot: ids.has(requester_id),
  };
}

/**
 * Returns the AI agents of the ticket's queue, or of the channel that it was opened in: the ticket's own first, then by
 * creation.
 */
export async function agentsFor(db: ServiceDb, ticket: StoredTicket): Promise<Agent[]> {
  const { workspace_id, queue_id, chat_channel_id, assigned_ai_agent } = ticket;
  const { rows } = await sql<{ id: string }>`
    select a.id from ai_agent a
    where a.workspace_id = ${workspace_id} and a.enabled and a.deleted_at is null and (
      exists (select 1 from ai_agent_queue x where x.workspace_id = a.workspace_id and x.ai_agent_id = a.id
        and x.queue_id = ${queue_id})
      or exists (select 1 from ai_agent_chat_channel x
        join chat_channel c on c.workspace_id = x.workspace_id and c.id = x.chat_channel_id and c.deleted_at is null
        where x.workspace_id = a.workspace_id and x.ai_agent_id = a.id and c.channel_id = ${chat_channel_id}))
    order by (a.id is not distinct from ${assigned_ai_agent}) desc, a.created_at, a.id`.execute(db);
  return agentRecords(
    db,
    [workspace_id],
    rows.map(({ id }) => id),
  );
}
