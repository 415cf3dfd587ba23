import { type Selectable, sql } from 'kysely';

import type { Queue, QueueSettings } from '../../contract/index.ts';
import { isVisibleTo, type Viewer } from '../access/viewer.ts';
import type { ServiceDb } from '../handler.ts';
import { iso, isoOrNull } from '../instants.ts';
import { inOrder } from '../lists/in-order.ts';
import type { Tables } from '../schema/tables.ts';

/** Default settings of a queue; `mcpMayRead` depends on its visibility. */
const DEFAULT_SETTINGS: Omit<QueueSettings, 'id' | 'mcpMayRead'> = {
  aiEnabled: false,
  respondOnMention: true,
  allowInboundEmails: false,
  // Not every channel message is a request, so this is off by default.
  autoCreateTickets: false,
  autoClassify: false,
  autoTag: false,
  enableUserActions: true,
  enableUserEmojis: true,
  enableCSAT: false,
  enableEmojiUpdates: true,
  sendAllTicketToTriageChannel: true,
  enableGranularChatNotifications: false,
  negativeFeedbackAutoCreate: false,
  allowGuestUsers: true,
  silentMode: false,
  sendBouncedEmails: false,
  pauseWhileWaiting: true,
  openOnReply: true,
  countAutomatedReplies: false,
  mcpPrivate: false,
  respondOnMessage: 'all-messages',
  emailSenderName: null,
  whitelistedInboundEmails: [],
  whitelistedInboundDomains: [],
  targets: null,
  warnings: null,
};

const ids = (table: 'chat_channel' | 'queue_request_type', column: string, extra = sql``) =>
  sql<{ id: string }[]>`(
    select coalesce(json_agg(json_build_object('id', x.${sql.ref(column)}) order by x.${sql.ref(column)}), '[]')
    from ${sql.table(table)} x where x.workspace_id = q.workspace_id and x.queue_id = q.id ${extra})`;

/** Queues by id, in the order of `queueIds`, with the number of their tickets that the viewer sees. */
export async function queueRecords(
  db: ServiceDb,
  workspaceIds: readonly string[],
  queueIds: readonly string[],
  viewer?: Viewer,
): Promise<Queue[]> {
  const rows = await db
    .selectFrom('queue as q')
    .innerJoin('workspace as w', 'w.id', 'q.workspace_id')
    .selectAll('q')
    .select([
      'w.slug',
      ids('chat_channel', 'id', sql`and x.deleted_at is null`).as('chat_channels'),
      ids('queue_request_type', 'request_type_id').as('request_types'),
      sql<number>`(select count(*) from ticket t where t.workspace_id = q.workspace_id and t.queue_id = q.id
        and ${viewer ? isVisibleTo(viewer) : sql`true`})`.as('tickets'),
    ])
    .where('q.workspace_id', 'in', workspaceIds)
    .where('q.id', 'in', queueIds.length ? queueIds : [''])
    .execute();
  return inOrder(queueIds, rows.map(toQueue));
}

type Row = Selectable<Tables['queue']> & {
  slug: string;
  chat_channels: { id: string }[];
  request_types: { id: string }[];
  tickets: number;
};

/** Returns a queue's settings, including defaults. */
export function queueSettings(row: Pick<Row, 'settings_id' | 'settings' | 'visibility'>): QueueSettings {
  return {
    id: row.settings_id,
    ...DEFAULT_SETTINGS,
    mcpMayRead: row.visibility !== 'team',
    ...row.settings,
  };
}

function toQueue(row: Row): Queue {
  return {
    id: row.id,
    name: row.name,
    workspaceId: row.workspace_id,
    prefix: row.prefix,
    emoji: row.emoji,
    workspace: { id: row.workspace_id, slug: row.slug },
    system: row.system,
    settings: queueSettings(row),
    chatChannels: row.chat_channels,
    requestTypes: row.request_types,
    autoAssignees: row.auto_assignees.map((id) => ({ id })),
    businessHoursId: row.business_hours_id,
    visibility: row.visibility,
    _count: { tickets: row.tickets },
    createdAt: iso(row.created_at),
    updatedAt: iso(row.updated_at),
    deletedAt: isoOrNull(row.deleted_at),
  };
}
