import { type Insertable, sql } from 'kysely';

import type { Tx } from '../../platform/database/open.ts';
import { enqueue } from '../../platform/jobs/index.ts';
import { CONVERSATION_QUEUE } from '../inbox/store.ts';
import { type ChatPlace, messageKey } from '../slack/ids.ts';
import type { BridgeTables } from '../schema/tables.ts';

/** Forwards the reactions that a message had before it was linked; call it where the link is written. */
export async function carryEarlier(
  tx: Tx<BridgeTables>,
  conversationId: string,
  place: ChatPlace,
): Promise<void> {
  const { rows } = await sql<{ earlier: boolean }>`
    select has_waiting_reactions(${messageKey(place)}, ${place.team}, ${place.channel}, ${place.ts}) as earlier`.execute(
    tx,
  );
  if (rows[0]?.earlier) await carry(tx, conversationId, place);
}

/** The link of a message written in chat. */
export type SaidLink = Insertable<BridgeTables['message_link']> & { origin: 'chat'; ts: string };

/** Links a message written in chat, and forwards the reactions it already had. */
export async function linkSaid(tx: Tx<BridgeTables>, link: SaidLink): Promise<void> {
  const { id, conversation_id, ticket_message_id, team_id: team, channel_id: channel, ts, version } = link;
  const place = { team, channel, ts };
  const { rows } = await sql<{ earlier: boolean }>`
    select link_inbound_message(${id}, ${conversation_id}, ${ticket_message_id}, ${team}, ${channel}, ${ts}, ${version},
      ${messageKey(place)}) as earlier`.execute(tx);
  if (rows[0]?.earlier) await carry(tx, conversation_id, place);
}

async function carry(
  tx: Tx<BridgeTables>,
  conversationId: string,
  { channel, ts }: ChatPlace,
): Promise<void> {
  const payload = { reacted: conversationId, channel, ts };
  await enqueue(tx, [{ queue: CONVERSATION_QUEUE, orderingKey: conversationId, payload }]);
}
