import type { Insertable } from 'kysely';

import { ID_PREFIXES } from '../../contract/index.ts';
import type { NewId } from '../../platform/ids.ts';
import type { DemoRows } from './rows.ts';
import type { DemoTicket } from './tickets.ts';
import type { Tables } from '../schema/tables.ts';

/** The channels of the demo's tickets. */
export interface DemoChat {
  teamId: string;
  channelId: string;
}

/** The thread of a ticket, for chat to show. */
export interface DemoThread {
  channelId: string;
  ticketId: string;
  /** The ticket's reference, as in IT-42. */
  reference: string;
  /** The key of a person. */
  requester: string;
  rootTs: string;
  request: string;
  /** The bot's acknowledgement. */
  cardTs: string;
  /** Agents' messages were written at the desk, so the bot posted them under their names. */
  replies: readonly { ts: string; from: string; text: string; messageId: string; updatedAt: string }[];
}

interface Talk {
  /** The ticket and its messages as chat would have opened them. */
  rows: Pick<DemoRows, 'ticket' | 'messages'>;
  thread: Insertable<Tables['chat_thread']>;
  copies: Insertable<Tables['chat_message']>[];
  shown: DemoThread;
}

const ACKNOWLEDGED_AFTER_MS = 1_000;

/** A ticket from chat, and its thread there. */
export function talkOf(
  { requester, description, messages }: DemoTicket,
  rows: DemoRows,
  { channelId, teamId }: DemoChat,
  reference: string,
  newId: NewId,
): Talk {
  const { ticket } = rows;
  const { workspace_id } = ticket;
  const rootTs = tsOf(ticket.created_at);
  const cardTs = tsOf(ticket.created_at, ACKNOWLEDGED_AFTER_MS);
  const times = { created_at: ticket.created_at, updated_at: ticket.updated_at };
  const said = messages.flatMap(({ from, text }, index) => {
    const row = rows.messages[index];
    return row && !row.private ? [{ row, from, text, ts: tsOf(row.created_at) }] : [];
  });
  const asked = new Set(said.flatMap(({ row, from }) => (from === requester ? [row.id] : [])));
  return {
    rows: {
      ticket: { ...ticket, source: 'CHAT', chat_channel_id: channelId },
      messages: rows.messages.map((row) => ({
        ...row,
        ...(asked.has(row.id) && { source: 'CHAT' as const, chat_channel_id: channelId }),
      })),
    },
    thread: {
      workspace_id,
      id: newId(ID_PREFIXES.chatThread),
      ticket_id: ticket.id,
      ...times,
      type: 'REQUEST',
      channel_id: channelId,
      message_ts: rootTs,
      mirror_ts: cardTs,
    },
    copies: said.map(({ row, ts }) => ({
      workspace_id,
      id: newId(ID_PREFIXES.chatMessage),
      ticket_message_id: row.id,
      channel_id: channelId,
      ts,
      team_id: teamId,
      thread_id: rootTs,
      created_at: row.created_at,
      updated_at: row.updated_at,
    })),
    shown: {
      channelId,
      ticketId: ticket.id,
      reference,
      requester,
      rootTs,
      cardTs,
      request: description,
      replies: said.map(({ row, ...post }) => ({
        ...post,
        messageId: row.id,
        updatedAt: new Date(row.updated_at).toISOString(),
      })),
    },
  };
}

/** A time as chat writes it. */
function tsOf(time: Date | string, laterMs = 0): string {
  return ((new Date(time).getTime() + laterMs) / 1000).toFixed(6);
}
