import { ID_PREFIXES, type PersonRole } from '../../contract/index.ts';
import { addWorkingTime } from '../../platform/working-time.ts';
import type { ServiceTx, Tools } from '../handler.ts';
import { saveUser } from '../users/save.ts';
import { chatAppOf } from '../workspaces/chat-app.ts';
import type { DemoThread } from './chat.ts';
import { DEMO_COLLEAGUES, demoHistory } from './history.ts';
import { insertDemoTickets } from './insert.ts';
import { insertDemoSetup } from './setup.ts';
import { DEMO_TARGETS, demoHours } from './setup-data.ts';
import { DEMO_TICKETS, type DemoTicket } from './tickets.ts';
import { createQueue, createWorkspace, lockFirstWorkspace } from '../schema/workspace.ts';

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

/**
 * The people and places that the demo workspace shares with the chat sandbox; passed in, since neither may know the
 * other.
 */
export interface DemoData {
  readonly team: { readonly id: string; readonly name: string; readonly domain: string };
  readonly app: { readonly id: string; readonly botUserId: string };
  readonly people: Readonly<Record<'ada' | 'ben' | 'mira' | 'sam', DemoPerson>>;
  /** The people who are not requesters, each of the team of one queue. */
  readonly roles: Readonly<
    Partial<
      Record<'ada' | 'ben' | 'mira' | 'sam', { readonly role: PersonRole; readonly queue?: 'IT' | 'PPL' }>
    >
  >;
  readonly channels: Readonly<Record<'itHelp' | 'peopleHelp' | 'itTriage', DemoChannel>>;
  /** The time zone of the business hours; default Stockholm. */
  readonly timeZone?: string | undefined;
}

const DAY_MS = 24 * 60 * 60_000;

/** Together with today's tickets, two hundred. */
const HISTORY_TICKETS = 200 - DEMO_TICKETS.length;

/**
 * Fills an empty database with a workspace that shows what the product does; leaves any other as it is.
 * @param inChat whether a chat is to show the threads of those tickets that are asked there.
 * @returns these threads.
 */
export async function seedDemo(
  tx: ServiceTx,
  tools: Tools,
  now: Date,
  demo: DemoData,
  inChat: boolean,
): Promise<DemoThread[]> {
  if ((await lockFirstWorkspace(tx)) !== undefined) return [];
  const { newId } = tools;
  const { team, app, people, channels } = demo;
  const workspaceId = await createWorkspace(tx, tools, now, { name: team.name, slug: team.domain });
  const ids = new Map<string, string>();
  for (const [key, person] of Object.entries(people)) {
    const { firstName, lastName, email } = person;
    const chatUsers = [
      { chatUserId: person.id, chatTeamId: team.id, chatRealName: `${firstName} ${lastName}` },
    ];
    ids.set(key, await saveUser(tx, { newId, now, workspaceId }, { firstName, lastName, email, chatUsers }));
  }
  for (const [key, id] of await insertColleagues(tx, tools, now, workspaceId, team.domain)) ids.set(key, id);
  const it = await createQueue(tx, tools, now, { workspaceId, name: 'IT', prefix: 'IT', emoji: '💻' });
  const peopleQueue = await createQueue(tx, tools, now, {
    workspaceId,
    name: 'People',
    prefix: 'PPL',
    emoji: '👋',
    visibility: 'team',
  });
  const { timeZone, ...hours } = demoHours(now, demo.timeZone);
  await tx
    .insertInto('business_hours')
    .values({
      workspace_id: workspaceId,
      id: newId(ID_PREFIXES.businessHours),
      name: hours.name,
      time_zone: timeZone,
      days: JSON.stringify(hours.days),
      holidays: JSON.stringify(hours.holidays),
      is_default: true,
      created_at: now,
      updated_at: now,
    })
    .execute();
  // Requesters are asked for a rating, as docs/tour.md shows.
  await tx
    .updateTable('queue')
    .set({ settings: JSON.stringify({ enableCSAT: true, targets: DEMO_TARGETS }) })
    .where('workspace_id', '=', workspaceId)
    .execute();
  const links = [
    { channel: channels.itHelp, type: 'REQUEST', queueId: it },
    { channel: channels.itTriage, type: 'TRIAGE', queueId: it },
    { channel: channels.peopleHelp, type: 'REQUEST', queueId: peopleQueue },
  ];
  const appId = await chatAppOf(
    tx,
    { newId, now, workspaceId },
    {
      app: {
        appId: app.id,
        teamId: team.id,
        teamName: team.name,
        teamDomain: team.domain,
        botUserId: app.botUserId,
      },
    },
  );
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
        chat_app_id: appId ?? null,
        created_at: now,
        updated_at: now,
      })
      .execute();
  const queues = { IT: it, PPL: peopleQueue };
  for (const [key, { role, queue }] of Object.entries(demo.roles))
    await tx
      .updateTable('person')
      .set({ role, queue_ids: queue ? [queues[queue]] : null })
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', ids.get(key) ?? '')
      .execute();
  await sendAway(tx, { newId, now, workspaceId }, ids.get('erik') ?? '', { queueId: it, timeZone });
  const setup = { workspaceId, queues, ownerId: ids.get('mira') ?? '' };
  const requestTypes = await insertDemoSetup(tx, tools, now, setup);
  const history = demoHistory(HISTORY_TICKETS, now);
  const tickets = [...history, ...DEMO_TICKETS];
  return insertDemoTickets(
    tx,
    tools,
    now,
    {
      workspaceId,
      queues,
      people: ids,
      statuses: await statusesOf(tx, workspaceId),
      tags: await insertTags(tx, tools, now, workspaceId, tickets),
      requestTypes,
      targets: {
        targets: DEMO_TARGETS,
        hours: { ...hours, timeZone },
        pauses: true,
        warnings: null,
        silent: false,
      },
    },
    tickets,
    inChat ? { teamId: team.id, channelId: channels.itHelp.id } : undefined,
  );
}

/** Colleagues without an account in chat: most of a company asks by other ways. */
async function insertColleagues(
  tx: ServiceTx,
  { newId }: Pick<Tools, 'newId'>,
  now: Date,
  workspaceId: string,
  domain: string,
): Promise<[string, string][]> {
  const rows = DEMO_COLLEAGUES.map(([key, first_name, last_name]) => ({
    workspace_id: workspaceId,
    id: newId(ID_PREFIXES.user),
    first_name,
    last_name,
    email: `${key}@${domain}.example`,
    created_at: now,
    updated_at: now,
  }));
  await tx.insertInto('person').values(rows).execute();
  return DEMO_COLLEAGUES.map(([key], index) => [key, rows[index]?.id ?? '']);
}

/** Makes a colleague an agent who is away these weeks, so that the desk shows what that looks like. */
async function sendAway(
  tx: ServiceTx,
  { newId, now, workspaceId }: Pick<Tools, 'newId'> & { now: Date; workspaceId: string },
  personId: string,
  { queueId, timeZone }: { queueId: string; timeZone: string },
): Promise<void> {
  const mondays = { timeZone, days: [{ day: 1, from: '00:00', to: '00:01' }], holidays: [] };
  const mondayAfter = (days: number) => {
    const at = new Date(now.getTime() + days * DAY_MS);
    return addWorkingTime(mondays, at, 0) ?? at;
  };
  await tx
    .updateTable('person')
    .set({ role: 'agent', queue_ids: [queueId] })
    .where('workspace_id', '=', workspaceId)
    .where('id', '=', personId)
    .execute();
  await tx
    .insertInto('absence')
    .values({
      workspace_id: workspaceId,
      id: newId(ID_PREFIXES.absence),
      person_id: personId,
      from_at: mondayAfter(-16),
      until_at: mondayAfter(7),
      created_at: now,
    })
    .execute();
}

async function statusesOf(tx: ServiceTx, workspaceId: string): Promise<Map<string, string>> {
  const rows = await tx
    .selectFrom('status')
    .select(['id', 'label'])
    .where('workspace_id', '=', workspaceId)
    .execute();
  return new Map(rows.map(({ id, label }) => [label, id]));
}

const TAG_COLORS = ['#2f6f4f', '#8a4b2a', '#3a5a8c', '#7a3e6d', '#6b6b2a', '#a33b3b'];

async function insertTags(
  tx: ServiceTx,
  { newId }: Pick<Tools, 'newId'>,
  now: Date,
  workspaceId: string,
  tickets: readonly DemoTicket[],
): Promise<Map<string, string>> {
  const names = [...new Set(tickets.flatMap(({ tags = [] }) => tags))].sort();
  const rows = names.map((name, index) => ({
    workspace_id: workspaceId,
    id: newId(ID_PREFIXES.tag),
    name,
    color: TAG_COLORS[index % TAG_COLORS.length] ?? null,
    created_at: now,
    updated_at: now,
  }));
  await tx.insertInto('tag').values(rows).execute();
  return new Map(rows.map(({ id, name }) => [name, id]));
}
