import { ID_PREFIXES, type Source } from '../../contract/index.ts';
import type { Caller, ServiceTx, Tools } from '../handler.ts';
import { createMessage } from '../messages/create.ts';
import { createTicket } from '../tickets/create.ts';
import { updateTicket } from '../tickets/update.ts';
import { saveUser } from '../users/save.ts';
import { DEMO_TICKETS, type DemoTicket } from './demo-tickets.ts';
import { createQueue, createWorkspace, lockFirstWorkspace } from './workspace.ts';

interface DemoPerson {
  readonly id: string;
  readonly firstName: string;
  readonly lastName: string;
  readonly email: string;
}
interface DemoChannel {
  readonly id: string;
  readonly name: string;
  readonly private: boolean;
}

/** The people and places that the demo workspace shares with the chat sandbox; passed in, since neither may know the other. */
export interface DemoData {
  readonly team: { readonly id: string; readonly name: string; readonly domain: string };
  readonly people: Readonly<Record<'ada' | 'ben' | 'mira' | 'sam', DemoPerson>>;
  readonly agents: readonly string[];
  readonly channels: Readonly<Record<'itHelp' | 'peopleHelp' | 'itTriage', DemoChannel>>;
}

const MINUTE_MS = 60_000;

/** Fills an empty database with a workspace that shows what the product does; leaves any other as it is. */
export async function seedDemo(tx: ServiceTx, tools: Tools, now: Date, demo: DemoData): Promise<void> {
  if ((await lockFirstWorkspace(tx)) !== undefined) return;
  const { newId } = tools;
  const { team, people, channels } = demo;
  const workspaceId = await createWorkspace(tx, tools, now, { name: team.name, slug: team.domain });
  const ids = new Map<string, string>();
  for (const [key, person] of Object.entries(people)) {
    const { firstName, lastName, email } = person;
    const chatUsers = [
      { chatUserId: person.id, chatTeamId: team.id, chatRealName: `${firstName} ${lastName}` },
    ];
    ids.set(key, await saveUser(tx, { newId, now, workspaceId }, { firstName, lastName, email, chatUsers }));
  }
  const it = await createQueue(tx, tools, now, { workspaceId, name: 'IT', prefix: 'IT', emoji: '💻' });
  const peopleQueue = await createQueue(tx, tools, now, {
    workspaceId,
    name: 'People',
    prefix: 'PPL',
    emoji: '👋',
  });
  const links = [
    { channel: channels.itHelp, type: 'REQUEST', queueId: it },
    { channel: channels.itTriage, type: 'TRIAGE', queueId: it },
    { channel: channels.peopleHelp, type: 'REQUEST', queueId: peopleQueue },
  ];
  for (const { channel, type, queueId } of links)
    await tx
      .insertInto('chat_channel')
      .values({
        workspace_id: workspaceId,
        id: newId(ID_PREFIXES.chatChannel),
        channel_id: channel.id,
        channel_name: channel.name,
        type,
        private: channel.private,
        queue_id: queueId,
        context_team_id: team.id,
        created_at: now,
        updated_at: now,
      })
      .execute();
  const queues = { IT: it, PPL: peopleQueue };
  // The oldest first, so that numbers and times tell the same story.
  for (const ticket of [...DEMO_TICKETS].sort((a, b) => b.minutesAgo - a.minutesAgo))
    await seedTicket(tx, tools, now, { ticket, workspaceId, queueId: queues[ticket.queue], ids });
}

interface Seeding {
  ticket: DemoTicket;
  workspaceId: string;
  queueId: string;
  ids: ReadonlyMap<string, string>;
}

async function seedTicket(tx: ServiceTx, tools: Tools, now: Date, seeding: Seeding): Promise<void> {
  const { ticket, workspaceId, queueId, ids } = seeding;
  const ago = (minutes: number) => new Date(now.getTime() - minutes * MINUTE_MS);
  const opened = ago(ticket.minutesAgo);
  const caller: Caller = {
    keyId: '',
    role: 'admin',
    workspaceId,
    workspaceIds: [workspaceId],
    personId: null,
  };
  const source: Source = 'WEB';
  const requesterId = ids.get(ticket.requester) ?? null;
  const { title, description, priority } = ticket;
  const assigneeId = ticket.assignee ? (ids.get(ticket.assignee) ?? null) : null;
  const { id } = await createTicket(
    tx,
    { tools, caller, now: opened },
    { title, description, priority, queueId, requesterId, authorId: requesterId, assigneeId, source },
  );
  for (const message of ticket.messages) {
    const at = ago(message.minutesAgo);
    const stored = await createMessage(
      tx,
      { tools, caller, now: at },
      {
        ticketId: id,
        content: message.text,
        authorId: ids.get(message.from) ?? null,
        source,
        private: message.private ?? false,
      },
    );
    if (stored.responds)
      await tx
        .updateTable('ticket')
        .set({ responded_at: at })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .execute();
  }
  if (ticket.status === undefined) return;
  const { id: statusId } = await tx
    .selectFrom('status')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('label', '=', ticket.status)
    .executeTakeFirstOrThrow();
  const at = ago(ticket.messages.at(-1)?.minutesAgo ?? ticket.minutesAgo);
  await updateTicket(tx, { tools, caller, now: at }, { workspaceId, id }, { data: { statusId } });
}
