import { onTestFinished } from 'vitest';

import type { RouteName } from '../../src/contract/index.ts';
import { type Database, openDatabase, transaction } from '../../src/platform/database/open.ts';
import { systemClock } from '../../src/platform/clock.ts';
import { createIds } from '../../src/platform/ids.ts';
import { createLog } from '../../src/platform/log.ts';
import { SCHEMA } from '../../src/service/schema/migrations.ts';
import type { Tables } from '../../src/service/schema/tables.ts';
import { createQueue, createWorkspace } from '../../src/service/schema/workspace.ts';
import { CONNECTION_WAIT_MS } from '../harness/database.ts';
import type { Running } from './harness.ts';
import { signIn } from './signed-in.ts';
import { uploadFile } from './upload.ts';

/** Direct access to the service's tables, for data that no operation writes or returns. */
export function openTables({
  databaseUrl,
  sharedTables,
}: Pick<Running, 'databaseUrl' | 'sharedTables'>): Database<Tables> {
  if (sharedTables) return sharedTables;
  const log = createLog({ level: 'silent', pretty: false });
  const database = openDatabase<Tables>({
    url: databaseUrl,
    schema: SCHEMA,
    log,
    poolSize: 2,
    waitMs: CONNECTION_WAIT_MS,
  });
  onTestFinished(() => database.close());
  return database;
}

/** A second workspace with a queue, and an admin key for it. */
export async function anotherWorkspace(
  running: Running,
): Promise<{ workspaceId: string; slug: string; queueId: string; token: string }> {
  const newId = createIds(systemClock);
  const now = systemClock.now();
  const slug = newId('other');
  const made = await transaction(openTables(running).db, async (tx) => {
    const workspaceId = await createWorkspace(tx, { newId }, now, { name: 'Other', slug });
    const queueId = await createQueue(tx, { newId }, now, {
      workspaceId,
      name: 'Other',
      prefix: 'OTH',
      emoji: '🏝️',
    });
    return { workspaceId, slug, queueId };
  });
  return { ...made, token: await running.key('admin', made.workspaceId) };
}

/** A key of the test's workspace that can access another one too. */
export async function keyOfBoth(running: Running, workspaceId: string): Promise<string> {
  const home = running.workspaceId;
  const key = { name: 'both', role: 'admin', rateLimit: null, workspaceId: home } as const;
  const { token } = await running.service.installKey(key);
  await openTables(running)
    .db.updateTable('api_key')
    .set({ further_workspace_ids: [workspaceId] })
    .where('name', '=', 'both')
    .where('workspace_id', '=', home)
    .execute();
  return token;
}

/** Working hours of a week, without holidays. */
export const OFFICE_HOURS = {
  name: 'Office',
  timeZone: 'Europe/Berlin',
  days: [1, 2, 3, 4, 5].map((day) => ({ day, from: '09:00', to: '17:00' })),
};

/** One record of every kind, in the first workspace. */
export interface World {
  ticket: string;
  /** Linked with the first one. */
  otherTicket: string;
  link: string;
  message: string;
  /** Attached to the ticket. */
  file: string;
  user: string;
  queue: string;
  status: string;
  workspace: string;
  channel: string;
  webhook: string;
  delivery: string;
  apiKey: string;
  /** The person who made it is no longer an admin. */
  stoppedKey: string;
  requestType: string;
  collection: string;
  customField: string;
  tag: string;
  view: string;
  cannedReply: string;
  replyDraft: string;
  /** A reply that is not changed before it is sent. */
  readyReply: string;
  businessHours: string;
  absence: string;
  scheduledReply: string;
  group: string;
  ownStatus: string;
  agent: string;
  personality: string;
  /** A personality that no AI agent has. */
  sparePersonality: string;
  kb: string;
  document: string;
  /** Active, and run by hand. */
  workflow: string;
  /** Runs of it, whose step failed. */
  workflowRun: string;
  otherRun: string;
  chatRequest: string;
  /** Of an admin. */
  session: string;
  /** Of another user. */
  identity: string;
  /** Of the same admin as the session. */
  connection: string;
  sessionToken: string;
}

export async function createWorld(running: Running, token?: string): Promise<World> {
  const { call, workspaceId } = running;
  const post = async (method: string, path: string, body?: unknown): Promise<string> => {
    const answer = await call(method, path, { body, ...(token !== undefined && { token }) });
    if (answer.status !== 200) throw new Error(`${method} ${path}: ${JSON.stringify(answer.body)}`);
    return (answer.body as { id: string }).id;
  };
  const first = async (path: string) =>
    ((await call('GET', path, token === undefined ? {} : { token })).body as { items: { id: string }[] })
      .items[0]?.id ?? '';
  const user = await post('POST', '/users', { firstName: 'Ada', email: 'ada@acme.example' });
  const ticket = await post('POST', '/tickets', { title: 'A ticket', requesterId: user });
  const otherTicket = await post('POST', '/tickets', { title: 'Another ticket' });
  const linked = await call('POST', `/tickets/${ticket}/links`, {
    body: { ticketId: otherTicket, kind: 'related' },
    ...(token !== undefined && { token }),
  });
  const message = await post('POST', '/ticket-messages', { ticketId: ticket, content: 'A message' });
  const file = (
    await uploadFile(running, `/tickets/${ticket}/files?attach=true`, token === undefined ? {} : { token })
  ).body.id;
  const statuses = await call('GET', '/statuses', token === undefined ? {} : { token });
  const group =
    (statuses.body as unknown as { items: { statusGroupId: string }[] }).items[1]?.statusGroupId ?? '';
  const kb = await post('POST', '/kbs', { name: 'World' });
  const workspace = token === undefined ? workspaceId : await first('/workspaces');
  const session = await signIn(openTables(running).db, workspace, { role: 'admin' });
  const workflow = await post('POST', '/workflows', {
    name: 'World',
    steps: [
      { id: 'hand', title: 'By hand', action: 'ticket.run' },
      { id: 'step', title: 'Wait', action: 'wait.for', inputs: { minutes: 1_000 } },
    ],
  });
  await post('PUT', `/workflows/${workflow}`, { name: 'World', state: 'Active' });
  const otherRun = await recordFailedRun(running, workspace, { workflow, ticket });
  const draft = { token: session.token, body: { content: 'Not sent' } };
  await call('PUT', `/tickets/${ticket}/draft`, draft);
  const scheduled = await call('POST', '/scheduled-replies', {
    token: session.token,
    body: { ticketId: ticket, content: 'Later', sendAt: '2130-01-01T00:00:00Z' },
  });
  // Nothing listens there, so its ping is never delivered and waits. Last, as each attempt takes milliseconds.
  const webhook = await post('POST', '/webhooks', { url: 'http://127.0.0.1:9/hook' });
  return {
    group,
    ownStatus: await post('POST', '/statuses', { label: 'World', statusGroupId: group }),
    agent: await post('POST', '/agents', { name: 'World' }),
    personality: await post('POST', '/personalities', { persona: 'World' }),
    sparePersonality: await post('POST', '/personalities', { persona: 'Spare' }),
    kb,
    document: await post('POST', `/kbs/${kb}/documents`, { title: 'World', content: 'A document' }),
    workflow,
    workflowRun: await recordFailedRun(running, workspace, { workflow, ticket }),
    otherRun,
    chatRequest: await recordChatRequest(running, workspace, otherRun),
    ticket,
    otherTicket,
    link: linked.body.links[0]?.id ?? '',
    message,
    file,
    user,
    webhook,
    queue: await first('/queues'),
    status: await first('/statuses'),
    workspace,
    session: session.id,
    identity: await recordIdentity(running, workspace, await post('POST', '/users', { firstName: 'Ivy' })),
    connection: await recordConnection(running, workspace, session.personId),
    sessionToken: session.token,
    scheduledReply: scheduled.body.id,
    channel: await post('PUT', '/chat-channels', { channelId: 'C0WORLD', channelName: 'world' }),
    delivery: await post('POST', `/webhooks/${webhook}/ping`),
    apiKey: await post('POST', '/api-keys', { name: 'world', role: 'read' }),
    stoppedKey: await stopKey(running, await post('POST', '/api-keys', { name: 'left', role: 'read' })),
    requestType: await post('POST', '/request-types', { name: 'World', formEnabled: true }),
    collection: await post('POST', '/request-types', { name: 'Worlds', type: 'collection' }),
    customField: await post('POST', '/custom-fields', { label: 'World', type: 'TEXT' }),
    tag: await post('POST', '/tags', { name: 'world' }),
    view: await post('POST', '/views', { name: 'World', isShared: true }),
    cannedReply: await post('POST', '/canned-replies', {
      title: 'World',
      shortcut: 'world',
      content: 'Hello {{requester.name}}',
      isShared: true,
    }),
    replyDraft: await post('POST', `/tickets/${ticket}/reply-drafts`, { content: 'A draft' }),
    readyReply: await post('POST', `/tickets/${ticket}/reply-drafts`, { content: 'Ready' }),
    businessHours: await post('POST', '/business-hours', OFFICE_HOURS),
    absence: await post('POST', `/users/${user}/absences`, {
      from: '2030-02-01T00:00:00Z',
      until: '2030-02-08T00:00:00Z',
    }),
  };
}

/** Records a run of a workflow whose step failed. */
async function recordFailedRun(
  running: Running,
  workspace_id: string,
  { workflow, ticket }: { workflow: string; ticket: string },
): Promise<string> {
  const { db } = openTables(running);
  const now = new Date();
  const run = { workspace_id, id: createIds(systemClock)('wfr') };
  await db
    .insertInto('workflow_run')
    .values({
      ...run,
      workflow_id: workflow,
      version: 1,
      trigger_step_id: 'hand',
      event_id: run.id,
      ticket_id: ticket,
      state: 'failed',
      chain: [workflow],
      created_at: now,
      updated_at: now,
    })
    .execute();
  const steps = [
    { step_id: 'hand', state: 'done', taken: ['hand step'] },
    { step_id: 'step', state: 'failed', error: 'Something is gone' },
  ] as const;
  await db
    .insertInto('workflow_run_step')
    .values(
      steps.map((step, position) => ({
        workspace_id,
        run_id: run.id,
        position,
        began_at: now,
        ended_at: now,
        ...step,
        taken: 'taken' in step ? [...step.taken] : [],
      })),
    )
    .execute();
  return run.id;
}

/** Records what a run asks to be written in chat. */
async function recordChatRequest(running: Running, workspace_id: string, run_id: string): Promise<string> {
  const now = new Date();
  const { id } = await openTables(running)
    .db.insertInto('chat_request')
    .values({
      workspace_id,
      id: createIds(systemClock)('crq'),
      run_id,
      step_id: 'step',
      kind: 'post',
      channel_id: 'C0WORLD',
      content: 'Look here',
      state: 'pending',
      created_at: now,
      updated_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Stops a key as if the person who made it had left. */
async function stopKey(running: Running, id: string): Promise<string> {
  const now = new Date();
  await openTables(running)
    .db.updateTable('api_key')
    .set({ revoked_at: now, stopped_at: now })
    .where('id', '=', id)
    .execute();
  return id;
}

/** Records that a person signed in with an account at a provider; returns its id. */
export async function recordIdentity(
  running: Running,
  workspaceId: string,
  personId: string,
): Promise<string> {
  const now = new Date();
  const { id } = await openTables(running)
    .db.insertInto('identity')
    .values({
      workspace_id: workspaceId,
      issuer: 'https://provider.example',
      subject: personId,
      person_id: personId,
      created_at: now,
      last_used_at: now,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

/** Records that a person connected a program; returns its id. */
async function recordConnection(running: Running, workspaceId: string, personId: string): Promise<string> {
  const newId = createIds(systemClock);
  const now = new Date();
  const later = new Date(now.getTime() + 86_400_000);
  const { db } = openTables(running);
  const client = { id: newId('ocl'), name: 'World', redirect_uris: ['https://client.example/back'] };
  await db
    .insertInto('oauth_client')
    .values({ ...client, created_at: now, used_at: now })
    .execute();
  const { id } = await db
    .insertInto('oauth_grant')
    .values({
      workspace_id: workspaceId,
      id: newId('con'),
      person_id: personId,
      client_id: client.id,
      scopes: ['tickets:read'],
      code_hash: Buffer.from(client.id),
      code_until: now,
      code_used_at: now,
      code_challenge: 'x',
      redirect_uri: 'https://client.example/back',
      created_at: now,
      expires_at: later,
    })
    .returning('id')
    .executeTakeFirstOrThrow();
  return id;
}

export interface Sample {
  params?: Record<string, string>;
  query?: Record<string, string>;
  body?: Record<string, unknown>;
  /** A key answers all but what needs a session. */
  token?: string;
}

/** For a given world, a request that every operation answers with 200; complete over the route table. */
export const SAMPLES: { [N in RouteName]: (world: World) => Sample } = {
  createTicket: () => ({ body: { title: 'Sample', tags: [], followers: [], customFields: { floor: 2 } } }),
  listTickets: () => ({ query: { openFilter: 'true', limit: '10' } }),
  readTicket: ({ ticket }) => ({ params: { id: ticket } }),
  updateTicket: ({ ticket }) => ({ params: { id: ticket }, body: { data: { title: 'Renamed' } } }),
  archiveTicket: ({ ticket }) => ({ params: { id: ticket } }),
  putChatThread: ({ ticket }) => ({ params: { id: ticket }, body: { channelId: 'C1', messageTs: '1.1' } }),
  claimTicket: ({ ticket, user }) => ({ params: { id: ticket }, body: { userId: user } }),
  readTicketActivity: ({ ticket }) => ({ params: { id: ticket } }),
  mergeTicket: ({ ticket, otherTicket }) => ({ params: { id: ticket }, body: { intoId: otherTicket } }),
  linkTicket: ({ ticket, otherTicket }) => ({
    params: { id: ticket },
    body: { ticketId: otherTicket, kind: 'blocks' },
  }),
  unlinkTicket: ({ ticket, link }) => ({ params: { id: ticket, linkId: link } }),
  readPresence: ({ ticket }) => ({ params: { id: ticket } }),
  putPresence: ({ ticket, user }) => ({ params: { id: ticket }, body: { state: 'typing', userId: user } }),
  previewMetric: ({ workspace }) => ({
    body: {
      workspaceId: workspace,
      query: { groupBy: 'tags', aggregations: [{ type: 'count', field: 'id' }] },
    },
  }),
  previewTrend: ({ workspace }) => ({
    body: { workspaceId: workspace, query: { timeInterval: 'day', groupBy: ['statusId'] } },
  }),
  rateTicket: ({ ticket, user }) => ({ params: { id: ticket }, body: { score: 5, userId: user } }),
  semanticSearch: () => ({ query: { query: 'ticket', limit: '3' } }),
  createTicketMessage: ({ ticket }) => ({ body: { ticketId: ticket, content: 'Sample' } }),
  listTicketMessages: ({ ticket }) => ({ query: { ticketId: ticket } }),
  readTicketMessage: ({ message }) => ({ params: { id: message } }),
  updateTicketMessage: ({ message }) => ({ params: { id: message }, body: { content: 'Edited' } }),
  deleteTicketMessage: ({ message }) => ({ params: { id: message } }),
  addChatMessage: ({ message }) => ({ params: { id: message }, body: { channelId: 'C1', ts: '1.2' } }),
  addReaction: ({ message, user }) => ({ params: { id: message }, body: { emoji: 'eyes', authorId: user } }),
  removeReaction: ({ message, user }) => ({
    params: { id: message },
    body: { emoji: 'eyes', authorId: user },
  }),
  listFiles: () => ({}),
  listTicketFiles: ({ ticket }) => ({ params: { id: ticket } }),
  deleteFile: ({ file }) => ({ params: { id: file } }),
  listWorkspaces: () => ({}),
  readWorkspace: ({ workspace }) => ({ params: { id: workspace } }),
  listQueues: () => ({}),
  readQueue: ({ queue }) => ({ params: { id: queue } }),
  readQueueReaders: ({ queue }) => ({ params: { id: queue }, query: { visibility: 'agents' } }),
  readTicketReaders: ({ ticket, queue }) => ({ params: { id: ticket }, query: { queueId: queue } }),
  createQueue: () => ({ body: { name: 'Sample', prefix: 'SMP' } }),
  updateQueue: ({ queue }) => ({
    params: { id: queue },
    body: { name: 'Renamed', settings: { silentMode: true } },
  }),
  listStatuses: () => ({}),
  readStatus: ({ status }) => ({ params: { id: status } }),
  updateStatus: ({ ownStatus, requestType }) => ({
    body: { id: ownStatus, label: 'Renamed', order: 3, requestTypeIds: [requestType] },
  }),
  createStatus: ({ group }) => ({ body: { label: 'Sample', statusGroupId: group } }),
  deleteStatus: ({ ownStatus }) => ({ params: { id: ownStatus } }),
  createWorkspace: () => ({ body: { name: 'Sample', slug: 'sample' } }),
  updateWorkspace: ({ workspace, queue }) => ({
    params: { id: workspace },
    body: { brandColor: '#123456', defaultQueueId: queue, settings: { visibleInChat: false } },
  }),
  linkChatChannel: ({ queue }) => ({
    body: { channelId: 'C2', queueId: queue, type: 'TRIAGE', app: { appId: 'A1', teamId: 'T1' } },
  }),
  unlinkChatChannel: ({ channel }) => ({ params: { id: channel } }),
  listUsers: () => ({ query: { search: 'ada' } }),
  readUser: ({ user }) => ({ params: { id: user } }),
  updateUser: ({ user }) => ({ params: { id: user }, body: { role: 'agent', queueIds: null } }),
  readTargetReport: () => ({
    query: { from: '2026-01-01T00:00:00Z', to: '2030-01-01T00:00:00Z', groupBy: 'week' },
  }),
  listTicketWarnings: ({ ticket }) => ({ query: { ticketId: ticket } }),
  listScheduledReplies: ({ ticket }) => ({ query: { ticketId: ticket } }),
  createScheduledReply: ({ ticket, sessionToken }) => ({
    token: sessionToken,
    body: { ticketId: ticket, content: 'Later', sendAt: '2130-01-01T00:00:00Z' },
  }),
  updateScheduledReply: ({ scheduledReply, sessionToken }) => ({
    params: { id: scheduledReply },
    token: sessionToken,
    body: { content: 'Even later', sendAt: '2131-01-01T00:00:00Z' },
  }),
  deleteScheduledReply: ({ scheduledReply, sessionToken }) => ({
    params: { id: scheduledReply },
    token: sessionToken,
  }),
  listAbsences: () => ({ query: { endsFrom: '2026-01-01T00:00:00Z' } }),
  createAbsence: ({ user }) => ({
    params: { id: user },
    body: { from: '2030-01-01T00:00:00Z', until: '2030-01-08T00:00:00Z' },
  }),
  deleteAbsence: ({ absence }) => ({ params: { id: absence } }),
  listNotifications: () => ({ query: { unread: 'true' } }),
  countNotifications: () => ({}),
  readNotifications: () => ({ body: { all: true } }),
  markTicketRead: ({ ticket, sessionToken }) => ({
    params: { id: ticket },
    body: {},
    token: sessionToken,
  }),
  readSession: ({ sessionToken }) => ({ token: sessionToken }),
  listConnections: () => ({}),
  endConnection: ({ connection }) => ({ params: { id: connection } }),
  listIdentities: () => ({}),
  removeIdentity: ({ identity }) => ({ params: { id: identity } }),
  listChatTeams: () => ({}),
  putChatTeam: () => ({ body: { id: 'T0WORLD', name: 'World', isTrusted: true } }),
  listSessions: () => ({}),
  endSession: ({ session }) => ({ params: { id: session } }),
  createUser: () => ({
    body: { firstName: 'Ben', chatUsers: [{ chatUserId: 'U1', chatTeamId: 'T1', chatAppId: 'A1' }] },
  }),
  eraseUser: ({ user }) => ({ params: { id: user } }),
  listApiKeys: () => ({}),
  createApiKey: () => ({ body: { name: 'Sample', role: 'agent' } }),
  revokeApiKey: ({ apiKey }) => ({ params: { id: apiKey } }),
  takeOverApiKey: ({ stoppedKey }) => ({ params: { id: stoppedKey } }),
  listAuditEntries: () => ({}),
  createAuditEntry: () => ({ body: { action: 'data.exported' } }),
  createWebhook: () => ({ body: { url: 'https://receiver.example/hook' } }),
  listWebhooks: () => ({}),
  readWebhook: ({ webhook }) => ({ params: { id: webhook } }),
  updateWebhook: ({ webhook }) => ({ params: { id: webhook }, body: { name: 'Renamed' } }),
  deleteWebhook: ({ webhook }) => ({ params: { id: webhook } }),
  listDeliveries: ({ webhook }) => ({ params: { id: webhook } }),
  redeliver: ({ webhook, delivery }) => ({ params: { id: webhook, deliveryId: delivery } }),
  pingWebhook: ({ webhook }) => ({ params: { id: webhook } }),
  listRequestTypes: () => ({ query: { type: 'request-type' } }),
  readRequestType: ({ requestType }) => ({ params: { id: requestType } }),
  saveRequestType: ({ queue }) => ({ body: { name: 'Sample', defaultQueueId: queue, isDefault: true } }),
  updateRequestType: ({ requestType, customField, tag }) => ({
    params: { id: requestType },
    body: { customFields: [{ customFieldId: customField, order: 1 }], tags: [{ id: tag }] },
  }),
  moveRequestType: ({ requestType, collection }) => ({ body: { id: requestType, targetId: collection } }),
  deleteRequestType: ({ requestType }) => ({ params: { id: requestType } }),
  listForms: () => ({}),
  listCustomFields: () => ({}),
  createCustomField: () => ({ body: { label: 'Sample', type: 'SELECT', options: [{ value: 'a' }] } }),
  updateCustomField: ({ customField }) => ({ params: { id: customField }, body: { required: true } }),
  deleteCustomField: ({ customField }) => ({ params: { id: customField } }),
  saveAgent: ({ agent, personality, queue, kb, requestType, channel }) => ({
    body: {
      id: agent,
      personalityId: personality,
      tools: ['search'],
      chatChannelIds: [channel],
      queueIds: [queue],
      kbIds: [kb],
      requestTypeIds: [requestType],
    },
  }),
  listAgents: () => ({ query: { enabled: 'true' } }),
  readAgent: ({ agent }) => ({ params: { id: agent } }),
  deleteAgent: ({ agent }) => ({ params: { id: agent } }),
  listPersonalities: () => ({}),
  savePersonality: () => ({ body: { tone: 'warm', greeting: 'Hello' } }),
  deletePersonality: ({ sparePersonality }) => ({ params: { id: sparePersonality } }),
  listKnowledgeBases: () => ({}),
  saveKnowledgeBase: ({ queue }) => ({ body: { name: 'Sample', global: true, queueIds: [queue] } }),
  createKnowledgeBaseDocument: ({ kb }) => ({ params: { id: kb }, body: { title: 'VPN', content: 'Call.' } }),
  deleteKnowledgeBase: ({ kb }) => ({ params: { id: kb } }),
  listKnowledgeBaseDocuments: ({ kb }) => ({ params: { id: kb } }),
  readKnowledgeBaseDocument: ({ kb, document }) => ({ params: { id: kb, documentId: document } }),
  deleteKnowledgeBaseDocument: ({ kb, document }) => ({ params: { id: kb, documentId: document } }),
  listApplications: () => ({ query: { status: 'ACTIVE' } }),
  listWorkflows: () => ({ query: { state: 'Active' } }),
  readWorkflow: ({ workflow }) => ({ params: { id: workflow } }),
  createWorkflow: () => ({ body: { name: 'Sample', isTemplate: true } }),
  updateWorkflow: ({ workflow }) => ({
    params: { id: workflow },
    body: { name: 'Renamed', state: 'Active' },
  }),
  duplicateWorkflow: ({ workflow }) => ({ body: { id: workflow, name: 'Copy', collectionId: null } }),
  runWorkflow: ({ workflow, ticket }) => ({ params: { id: workflow }, body: { ticketId: ticket } }),
  tryWorkflow: ({ workflow, ticket }) => ({ params: { id: workflow }, body: { ticketId: ticket } }),
  countMatchingTickets: ({ workflow }) => ({ params: { id: workflow } }),
  listWorkflowVersions: ({ workflow }) => ({ params: { id: workflow } }),
  listWorkflowRuns: ({ workflow }) => ({ query: { workflowId: workflow } }),
  readWorkflowRun: ({ workflowRun }) => ({ params: { id: workflowRun } }),
  retryWorkflowStep: ({ workflowRun }) => ({ params: { id: workflowRun }, body: { stepId: 'step' } }),
  skipWorkflowStep: ({ otherRun }) => ({ params: { id: otherRun }, body: { stepId: 'step' } }),
  stopWorkflowRun: ({ otherRun }) => ({ params: { id: otherRun } }),
  listChatRequests: () => ({ query: { state: 'pending' } }),
  answerChatRequest: ({ chatRequest }) => ({ params: { id: chatRequest }, body: { messageTs: '1.1' } }),
  listWorkflowApps: () => ({}),
  readWorkflowStep: ({ workflow }) => ({
    params: { workflowId: workflow, stepId: 'step' },
    query: { suggestions: 'true' },
  }),
  listBusinessHours: () => ({}),
  createBusinessHours: () => ({ body: { ...OFFICE_HOURS, name: 'Sample' } }),
  updateBusinessHours: ({ businessHours }) => ({ params: { id: businessHours }, body: { isDefault: true } }),
  deleteBusinessHours: ({ businessHours }) => ({ params: { id: businessHours } }),
  listTags: () => ({}),
  createTag: () => ({ body: { name: 'Sample', color: '#ff0000' } }),
  updateTag: ({ tag }) => ({ params: { id: tag }, body: { name: 'Renamed' } }),
  deleteTag: ({ tag }) => ({ params: { id: tag } }),
  countTickets: () => ({ body: { filters: [{ key: 'open', query: { openFilter: 'true' } }] } }),
  listViews: () => ({}),
  createView: () => ({
    body: { name: 'Sample', filters: { openFilter: 'true' }, sortBy: 'priority', isShared: true },
  }),
  updateView: ({ view }) => ({ params: { id: view }, body: { name: 'Renamed', position: 3 } }),
  deleteView: ({ view }) => ({ params: { id: view } }),
  listCannedReplies: ({ queue }) => ({ query: { queueId: queue } }),
  createCannedReply: () => ({
    body: { title: 'Sample', shortcut: 'sample', content: '{{ticket.reference}}', isShared: true },
  }),
  updateCannedReply: ({ cannedReply, queue }) => ({
    params: { id: cannedReply },
    body: { content: 'Bye', queueIds: [queue] },
  }),
  deleteCannedReply: ({ cannedReply }) => ({ params: { id: cannedReply } }),
  readDraft: ({ ticket, sessionToken }) => ({ params: { id: ticket }, token: sessionToken }),
  putDraft: ({ ticket, sessionToken }) => ({
    params: { id: ticket },
    token: sessionToken,
    body: { content: 'Not sent', isPrivate: true },
  }),
  deleteDraft: ({ ticket, sessionToken }) => ({ params: { id: ticket }, token: sessionToken }),
  listReplyDrafts: ({ ticket }) => ({ params: { id: ticket } }),
  createReplyDraft: ({ ticket }) => ({ params: { id: ticket }, body: { content: 'Sample' } }),
  updateReplyDraft: ({ replyDraft }) => ({
    params: { id: replyDraft },
    body: { content: 'Changed', version: 1 },
  }),
  sendReplyDraft: ({ readyReply }) => ({ params: { id: readyReply }, body: { version: 1 } }),
  deleteReplyDraft: ({ replyDraft }) => ({ params: { id: replyDraft } }),
};

/** The options of a call with a sample. */
export function optionsOf({ body, token }: Sample): { body: unknown; token?: string } {
  return { body, ...(token !== undefined && { token }) };
}

/** The path of a route with its sample's values. */
export function pathOf(path: string, { params, query }: Sample): string {
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) =>
    encodeURIComponent(params?.[name] ?? ''),
  );
  return query ? `${filled}?${new URLSearchParams(query).toString()}` : filled;
}
