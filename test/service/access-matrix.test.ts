import { describe, expect, it } from 'vitest';

import {
  type ApiKey,
  type Metric,
  type PersonRole,
  type QueueVisibility,
  queueVisibility,
  role as keyRole,
  type Route,
  type RouteName,
  routes,
  type Trend,
} from '../../src/contract/index.ts';
import { TOOLS } from '../../src/service/assist/tools/index.ts';
import { allow, callTool, newKey } from './assist/mcp-call.ts';
import { type Answered, sharedService } from './harness.ts';
import { signIn } from './signed-in.ts';
import { uploadFile } from './upload.ts';
import { createWorld, openTables, optionsOf, pathOf, SAMPLES, type World } from './world.ts';

const newWorkspace = sharedService();

/** What decides whether a signed-in person who has the route's role gets an answer. */
type Decision =
  /** Nothing else: the record belongs to the workspace, or to the person. */
  | 'role'
  /** The tickets in the answer are those that the person sees. */
  | 'list'
  /** 404 unless the person sees the ticket. */
  | 'read'
  /** Also 403 unless the person takes part in the ticket or is of its team. */
  | 'participant'
  /** Also 403 unless the person asked for the ticket. */
  | 'requester'
  /** Also 403 unless the person is of the ticket's team. */
  | 'team'
  /** Also 403 unless the person wrote it, or is an admin: here, a program wrote it. */
  | 'words';

const DECISIONS: { [N in RouteName]: Decision } = {
  listTickets: 'list',
  semanticSearch: 'list',
  listTicketMessages: 'list',
  previewMetric: 'list',
  previewTrend: 'list',
  countTickets: 'list',
  listTicketWarnings: 'list',
  listScheduledReplies: 'list',
  readTargetReport: 'list',
  listViews: 'role',
  createView: 'role',
  updateView: 'role',
  deleteView: 'role',
  listCannedReplies: 'role',
  createCannedReply: 'role',
  updateCannedReply: 'role',
  deleteCannedReply: 'role',
  readDraft: 'read',
  putDraft: 'read',
  deleteDraft: 'read',
  listReplyDrafts: 'team',
  createReplyDraft: 'team',
  updateReplyDraft: 'team',
  sendReplyDraft: 'team',
  deleteReplyDraft: 'team',
  readTicket: 'read',
  readTicketReaders: 'team',
  readQueueReaders: 'role',
  readTicketMessage: 'read',
  markTicketRead: 'read',
  listTicketFiles: 'read',
  listNotifications: 'role',
  listAbsences: 'role',
  createAbsence: 'role',
  deleteAbsence: 'role',
  countNotifications: 'role',
  readNotifications: 'role',
  createTicketMessage: 'participant',
  createScheduledReply: 'participant',
  updateScheduledReply: 'role',
  deleteScheduledReply: 'role',
  rateTicket: 'requester',
  readTicketActivity: 'read',
  readPresence: 'read',
  putPresence: 'read',
  mergeTicket: 'team',
  linkTicket: 'team',
  unlinkTicket: 'team',
  updateTicket: 'team',
  archiveTicket: 'team',
  claimTicket: 'team',
  putChatThread: 'team',
  updateTicketMessage: 'words',
  deleteTicketMessage: 'words',
  addChatMessage: 'team',
  addReaction: 'team',
  removeReaction: 'team',
  deleteFile: 'words',
  listFiles: 'role',
  createTicket: 'role',
  listWorkspaces: 'role',
  readWorkspace: 'role',
  createWorkspace: 'role',
  updateWorkspace: 'role',
  listQueues: 'role',
  readQueue: 'role',
  createQueue: 'role',
  updateQueue: 'role',
  listStatuses: 'role',
  readStatus: 'role',
  updateStatus: 'role',
  createStatus: 'role',
  deleteStatus: 'role',
  linkChatChannel: 'role',
  unlinkChatChannel: 'role',
  listBusinessHours: 'role',
  createBusinessHours: 'role',
  updateBusinessHours: 'role',
  deleteBusinessHours: 'role',
  listUsers: 'role',
  readUser: 'role',
  createUser: 'role',
  updateUser: 'role',
  listConnections: 'role',
  endConnection: 'role',
  listIdentities: 'role',
  removeIdentity: 'role',
  listChatTeams: 'role',
  putChatTeam: 'role',
  readSession: 'role',
  listSessions: 'role',
  endSession: 'role',
  listApiKeys: 'role',
  createApiKey: 'role',
  revokeApiKey: 'role',
  takeOverApiKey: 'role',
  listAuditEntries: 'role',
  createAuditEntry: 'role',
  eraseUser: 'role',
  listRequestTypes: 'role',
  readRequestType: 'role',
  saveRequestType: 'role',
  updateRequestType: 'role',
  moveRequestType: 'role',
  deleteRequestType: 'role',
  listForms: 'role',
  listCustomFields: 'role',
  createCustomField: 'role',
  updateCustomField: 'role',
  deleteCustomField: 'role',
  listTags: 'role',
  createTag: 'role',
  updateTag: 'role',
  deleteTag: 'role',
  saveAgent: 'role',
  listAgents: 'role',
  readAgent: 'role',
  deleteAgent: 'role',
  listPersonalities: 'role',
  savePersonality: 'role',
  deletePersonality: 'role',
  listKnowledgeBases: 'role',
  saveKnowledgeBase: 'role',
  deleteKnowledgeBase: 'role',
  createKnowledgeBaseDocument: 'role',
  listKnowledgeBaseDocuments: 'role',
  readKnowledgeBaseDocument: 'role',
  deleteKnowledgeBaseDocument: 'role',
  listApplications: 'role',
  listWorkflows: 'role',
  readWorkflow: 'role',
  createWorkflow: 'role',
  updateWorkflow: 'role',
  duplicateWorkflow: 'role',
  // Of which tickets: workflows/activation.test.ts.
  runWorkflow: 'role',
  tryWorkflow: 'role',
  listWorkflowVersions: 'role',
  countMatchingTickets: 'role',
  listWorkflowRuns: 'role',
  readWorkflowRun: 'role',
  retryWorkflowStep: 'role',
  skipWorkflowStep: 'role',
  stopWorkflowRun: 'role',
  listChatRequests: 'role',
  answerChatRequest: 'role',
  listWorkflowApps: 'role',
  readWorkflowStep: 'role',
  createWebhook: 'role',
  listWebhooks: 'role',
  readWebhook: 'role',
  updateWebhook: 'role',
  deleteWebhook: 'role',
  listDeliveries: 'role',
  redeliver: 'role',
  pingWebhook: 'role',
};

const KINDS = queueVisibility.options;
const PEOPLE = ['requester', 'agent of queue A', 'agent of all queues', 'admin'] as const;
const ACTORS = [...PEOPLE, 'key of queue A', 'key of all queues'] as const;
type Person = (typeof PEOPLE)[number];
type Actor = (typeof ACTORS)[number];
const PLACES = ['own queue', 'other queue, private', 'other queue, public', 'own ticket'] as const;
type Place = (typeof PLACES)[number];

const ROLES: Record<Person, PersonRole> = {
  requester: 'requester',
  'agent of queue A': 'agent',
  'agent of all queues': 'agent',
  admin: 'admin',
};
/** The tickets that an actor sees, by the visibility of both queues; everybody takes part in the own ticket, in queue B. */
const SEES: Record<Actor, Record<QueueVisibility, readonly Place[]>> = {
  requester: { workspace: ['own ticket'], agents: ['own ticket'], team: ['own ticket'] },
  'agent of queue A': {
    workspace: ['own queue', 'other queue, public', 'own ticket'],
    agents: ['own queue', 'other queue, public', 'own ticket'],
    team: ['own queue', 'own ticket'],
  },
  'agent of all queues': { workspace: PLACES, agents: PLACES, team: ['own ticket'] },
  admin: { workspace: PLACES, agents: PLACES, team: PLACES },
  'key of queue A': { workspace: ['own queue'], agents: ['own queue'], team: ['own queue'] },
  'key of all queues': { workspace: PLACES, agents: PLACES, team: PLACES },
};
/** The tickets of whose team the actor is. */
const IS_TEAM: Record<Actor, Record<QueueVisibility, readonly Place[]>> = {
  ...SEES,
  requester: { workspace: [], agents: [], team: [] },
  'agent of queue A': { workspace: ['own queue'], agents: ['own queue'], team: ['own queue'] },
  'agent of all queues': { workspace: PLACES, agents: PLACES, team: [] },
};
const RANK: readonly PersonRole[] = ['requester', 'agent', 'admin'];

const rows = Object.entries(routes) as [RouteName, Route][];
const isPerson = (actor: Actor): actor is Person => (PEOPLE as readonly Actor[]).includes(actor);
const hasRole = (actor: Actor, { person, role }: Route) =>
  isPerson(actor)
    ? person !== null && RANK.indexOf(ROLES[actor]) >= RANK.indexOf(person)
    : keyRole.options.indexOf('agent') >= keyRole.options.indexOf(role);

/** What a ticket has. */
const PARTS = ['message', 'note', 'file', 'replyDraft'] as const;
type Part = (typeof PARTS)[number];
/** The ids of a ticket and its parts; empty if it was made without one. */
type Made = Record<'ticket' | Part, string>;

/** The parts that an operation's sample names: each costs a request. */
function partsOf(name: RouteName): Part[] {
  const named = new Set<string | symbol>();
  const world = new Proxy({} as World, { get: (_world, field) => (named.add(field), 'named') });
  SAMPLES[name](world);
  if (named.has('readyReply')) named.add('replyDraft');
  return PARTS.filter((part) => named.has(part));
}

/** Operations with a second ticket, of the same place, or a link to one. */
const ON_TWO: readonly RouteName[] = ['mergeTicket', 'linkTicket', 'unlinkTicket'];

/** Operations after which a ticket, its parts and who may read them are as before, for the operations that follow. */
const LEAVE_ACCESS: readonly RouteName[] = [
  'putDraft',
  'deleteDraft',
  'createReplyDraft',
  'markTicketRead',
  'putPresence',
  'linkTicket',
  'unlinkTicket',
  'updateTicket',
  'putChatThread',
  'updateTicketMessage',
  'addChatMessage',
  'addReaction',
  'removeReaction',
];

/** A workspace with two queues of a visibility, a signed-in person of each kind, and keys. */
async function setUp(visibility: QueueVisibility = 'workspace') {
  const running = await newWorkspace();
  const { db } = openTables(running);
  const { call, workspaceId } = running;
  const post = async (path: string, body: unknown) => {
    const answer = await call('POST', path, { body });
    expect([path, answer.status]).toEqual([path, 200]);
    return answer.body.id;
  };
  const a = await post('/queues', { name: 'A', prefix: 'AAA' });
  const b = await post('/queues', { name: 'B', prefix: 'BBB' });
  const keyOf = async (queueIds: string[] | null) => {
    const { body } = await call('POST', '/api-keys', { body: { name: 'K', role: 'agent', queueIds } });
    return { personId: (body as unknown as ApiKey).userId ?? '', token: body.key };
  };
  const people: Record<Actor, { personId: string; token: string }> = {
    requester: await signIn(db, workspaceId, { role: 'requester' }),
    'agent of queue A': await signIn(db, workspaceId, { role: 'agent', queueIds: [a] }),
    'agent of all queues': await signIn(db, workspaceId, { role: 'agent' }),
    admin: await signIn(db, workspaceId, { role: 'admin' }),
    'key of queue A': await keyOf([a]),
    'key of all queues': await keyOf(null),
  };
  await signIn(db, workspaceId, { role: 'agent', queueIds: [b], name: 'the team of B' });
  for (const queue of [a, b]) {
    const { status } = await call('PUT', `/queues/${queue}`, { body: { visibility } });
    expect(status).toBe(200);
  }
  /** Makes a ticket of a place, without its parts. */
  const makeTicket = async (actor: Actor, place: Place, words = 'plain'): Promise<Made> => {
    const ticket = await post('/tickets', {
      title: words,
      queueId: place === 'own queue' ? a : b,
      private: place !== 'other queue, public',
      ...(place === 'own ticket' && { requesterId: people[actor].personId }),
    });
    return { ticket, message: '', note: '', file: '', replyDraft: '' };
  };
  const makePart: Record<Part, (ticketId: string) => Promise<string>> = {
    message: (ticketId) => post('/ticket-messages', { ticketId, content: 'said' }),
    note: (ticketId) => post('/ticket-messages', { ticketId, content: 'whispered', private: true }),
    file: async (ticketId) => (await uploadFile(running, `/tickets/${ticketId}/files?attach=true`)).body.id,
    replyDraft: (ticketId) => post(`/tickets/${ticketId}/reply-drafts`, { content: 'drafted' }),
  };
  /** Makes those of these parts that the ticket does not have yet. */
  const addParts = async (made: Made, parts: readonly Part[]) => {
    for (const part of parts) made[part] ||= await makePart[part](made.ticket);
  };
  /** Makes a ticket of a place, with a message, an internal note, a file and a draft of a reply. */
  const make = async (actor: Actor, place: Place, words: string): Promise<Made> => {
    const made = await makeTicket(actor, place, words);
    await addParts(made, PARTS);
    return made;
  };
  /** Makes what an operation on two tickets names. */
  const related = async (name: RouteName, { ticket }: Made, another: () => Promise<Made>) => {
    if (!ON_TWO.includes(name)) return {};
    const other = (await another()).ticket;
    if (name !== 'unlinkTicket') return { otherTicket: other };
    const linked = await call('POST', `/tickets/${ticket}/links`, {
      body: { ticketId: other, kind: 'related' },
    });
    return { otherTicket: other, link: linked.body.links[0]?.id ?? '' };
  };
  return { ...running, db, post, queueId: b, people, make, makeTicket, addParts, related };
}

/** Ids that no record has. */
const NOTHING = {
  ticket: 'tkt_nothing',
  message: 'msg_nothing',
  file: 'fil_nothing',
  replyDraft: 'rdf_nothing',
};

const withoutRequestId = ({ body }: Answered) => ({ ...body, requestId: '' });

describe('every route of the contract', () => {
  it('has a decision', () => {
    expect(Object.keys(DECISIONS).sort()).toEqual(Object.keys(routes).sort());
  });

  it('refuses people who are not signed in, deactivated people, and people who lack the role', async () => {
    const { call, db, people, workspaceId } = await setUp();
    const gone = await signIn(db, workspaceId, { role: 'admin' });
    await call('PUT', `/users/${gone.personId}`, { body: { isDeactivated: true } });
    for (const [name, route] of rows) {
      const send = (token: string | null) =>
        call(route.method, route.path.replaceAll(/\{\w+\}/g, 'nothing'), {
          token,
          ...(route.body && { body: '{' }),
        });
      expect([name, (await send(null)).status, (await send(gone.token)).status]).toEqual([name, 401, 401]);
      for (const actor of PEOPLE) {
        const { status } = await send(people[actor].token);
        const allowed = hasRole(actor, route) ? [200, 400, 404] : [403];
        expect([name, actor, status, allowed]).toEqual([
          name,
          actor,
          status,
          expect.arrayContaining([status]),
        ]);
      }
    }
  });

  it.each(KINDS)('reads and changes tickets of queues for %s only as the caller may', async (kind) => {
    const { people, makeTicket, addParts, related, ...running } = await setUp(kind);
    const world = await createWorld(running);
    // It would get thousands of events.
    await running.call('PUT', `/webhooks/${world.webhook}`, { body: { active: false } });
    const onTickets = rows.filter(([name]) => !['role', 'list'].includes(DECISIONS[name]));
    /** What each actor is answered where there is no such record, by the operation and the actor. */
    const missing = new Map<string, Answered>();
    for (const place of PLACES)
      for (const actor of ACTORS) {
        // Reads and refused calls leave the ticket as it was, for the next operation.
        let unchanged: Made | undefined;
        for (const [name, route] of onTickets.filter((each) => hasRole(actor, each[1]))) {
          const { personId: user, token } = people[actor];
          const send = (ids: Pick<World, 'ticket' | 'message' | 'file' | 'replyDraft'> & Partial<World>) => {
            const sample = SAMPLES[name]({ ...world, user, readyReply: ids.replyDraft, ...ids });
            // A place in chat belongs to one record.
            for (const field of ['messageTs', 'ts'])
              if (sample.body?.[field]) sample.body[field] = ids.ticket;
            return running.call(route.method, pathOf(route.path, sample), { ...optionsOf(sample), token });
          };
          const made: Made = unchanged ?? (await makeTicket(actor, place));
          await addParts(made, partsOf(name));
          const others = await related(name, made, () => makeTicket(actor, place));
          const answer = await send({ ...made, ...others });
          const isSame = route.method === 'GET' || answer.status !== 200 || LEAVE_ACCESS.includes(name);
          unchanged = isSame ? made : undefined;
          const expected = statusOf(name, kind, actor, place);
          expect([name, actor, place, answer.status]).toEqual([name, actor, place, expected]);
          if (expected !== 404) continue;
          const asked = `${name} ${actor}`;
          const nothing = missing.get(asked) ?? (await send(NOTHING));
          missing.set(asked, nothing);
          expect([name, withoutRequestId(answer)]).toEqual([name, withoutRequestId(nothing)]);
        }
      }
  });
});

/** Operations on what a person has of a ticket: a key is no person. */
const OF_A_PERSON: Partial<Record<RouteName, 403 | 404>> = {
  readDraft: 404,
  putDraft: 404,
  deleteDraft: 404,
  markTicketRead: 403,
  createScheduledReply: 403,
};

function statusOf(name: RouteName, kind: QueueVisibility, actor: Actor, place: Place): 200 | 403 | 404 {
  if (!SEES[actor][kind].includes(place)) return 404;
  if (!isPerson(actor)) return OF_A_PERSON[name] ?? 200;
  const decision = DECISIONS[name];
  if (decision === 'words') return actor === 'admin' ? 200 : 403;
  const isTeam = IS_TEAM[actor][kind].includes(place);
  const takesPart = place === 'own ticket';
  if (decision === 'requester') return takesPart ? 200 : 403;
  return decision === 'read' || isTeam || (decision === 'participant' && takesPart) ? 200 : 403;
}

const CASES = KINDS.flatMap((kind) => ACTORS.map((actor) => [kind, actor] as const));

it.each(CASES)(
  'lists, searches, counts and files of queues for %s show to the %s only what they may see',
  async (kind, actor) => {
    const { people, make, post, queueId, workspaceId, ...running } = await setUp(kind);
    const call = async (method: string, path: string, body?: unknown) => {
      const answer = await running.call(method, path, { token: people[actor].token, body });
      expect([path, answer.status]).toEqual([path, 200]);
      return answer.body;
    };
    const made = new Map<Place, Made>();
    for (const place of PLACES) made.set(place, await make(actor, place, 'striped zebra'));
    for (const { ticket } of made.values())
      await post('/ticket-messages', { ticketId: ticket, content: 'quagga', private: true });
    const shown = async (path: string, kind: keyof Made = 'ticket') => {
      const text = JSON.stringify(await call('GET', path));
      return [path, PLACES.filter((place) => text.includes(made.get(place)?.[kind] ?? ''))];
    };
    const [seen, team] = [SEES[actor][kind], IS_TEAM[actor][kind]];

    for (const path of [
      '/tickets',
      '/tickets?search=zebra',
      '/tickets?search=zebra&sortBy=relevance',
      '/tickets?responseType=thin',
      '/tickets/semantic-search?query=zebra',
    ])
      expect(await shown(path)).toEqual([path, seen]);
    expect(await call('GET', '/tickets?limit=1')).toMatchObject({ totalCount: seen.length });
    for (const place of seen) {
      const { ticket = '', message = '', note = '' } = made.get(place) ?? {};
      const text = JSON.stringify(await call('GET', `/tickets/${ticket}?messagesFrom=2020-01-01T00:00:00Z`));
      const [says, whispers] = [text.includes(message), text.includes(note)];
      expect([place, says, whispers]).toEqual([place, true, team.includes(place)]);
    }
    const filters = [{}, { search: 'zebra' }, { search: 'quagga' }].map((query, at) => ({
      key: `${at}`,
      query,
    }));
    expect(await call('POST', '/tickets/counts', { filters })).toEqual({
      counts: [seen, seen, team].map(({ length }, at) => ({ key: `${at}`, count: length, isCapped: false })),
    });
    for (const path of ['/tickets?search=quagga', '/tickets/semantic-search?query=quagga'])
      expect(await shown(path)).toEqual([path, team]);
    const openly = '/tickets/semantic-search?query=quagga&private=false';
    expect(await shown(openly)).toEqual([openly, []]);

    const messages = '/ticket-messages';
    expect(await shown(messages, 'message')).toEqual([messages, seen]);
    expect(await shown(messages, 'note')).toEqual([messages, team]);
    expect(await call('GET', messages)).toMatchObject({ totalCount: seen.length + 2 * team.length });
    for (const [place, { ticket, note }] of made) {
      const { totalCount } = await call('GET', `${messages}?ticketId=${ticket}`);
      expect([place, totalCount]).toEqual([place, team.includes(place) ? 3 : seen.includes(place) ? 1 : 0]);
      const read = await running.call('GET', `${messages}/${note}`, { token: people[actor].token });
      expect([place, read.status]).toEqual([place, team.includes(place) ? 200 : 404]);
    }

    const files = '/files';
    if (hasRole(actor, routes.listFiles)) expect(await shown(files, 'file')).toEqual([files, seen]);
    for (const [place, { file }] of made) {
      const { status } = await fetch(`${running.url}/files/${file}`, {
        headers: { 'x-service-api-token': people[actor].token },
      });
      expect([place, status]).toEqual([place, seen.includes(place) ? 200 : 404]);
    }
    const [first] = seen;
    const similar = `/tickets/semantic-search?query=zebra&excludeTicketId=${made.get(first ?? 'own ticket')?.ticket}`;
    expect(await shown(similar)).toEqual([similar, seen.filter((place) => place !== first)]);

    const ofQueue = seen.filter((place) => place !== 'own queue').length;
    expect(await call('GET', `/queues/${queueId}`)).toMatchObject({ _count: { tickets: ofQueue } });
    if (actor === 'requester') return;
    for (const [dataSource, count] of [
      ['Ticket', seen.length],
      ['TicketMessage', seen.length + 2 * team.length],
    ] as const) {
      const query = { dataSource, aggregations: [{ type: 'count', field: 'id' }] };
      const metric = await call('POST', '/analytics/preview-metric', { workspaceId, query });
      expect([dataSource, (metric as unknown as Metric).data[0]?.value]).toEqual([dataSource, count]);
      const trend = await call('POST', '/analytics/preview-trend', {
        workspaceId,
        query: { ...query, timeInterval: 'year' },
      });
      const [year] = (trend as unknown as Trend).data;
      expect(Object.values(year ?? {})).toContain(count);
    }
  },
);

/** What decides whether a tool answers; `decision`: who may approve and decline. */
const TOOL_DECISIONS: Record<string, Decision | 'decision'> = {
  search_tickets: 'list',
  my_work: 'list',
  list_choices: 'role',
  search_documents: 'role',
  create_ticket: 'role',
  get_ticket: 'read',
  find_similar: 'read',
  add_note: 'team',
  change_ticket: 'team',
  decide_approval: 'decision',
  draft_reply: 'team',
  send_reply: 'team',
};
const ON_TICKETS = Object.keys(TOOL_DECISIONS).filter(
  (name) => !['role', 'list'].includes(TOOL_DECISIONS[name] ?? ''),
);

function toolInput(name: string, { ticket, replyDraft }: Made): object {
  const key = { idempotencyKey: newKey() };
  const inputs: Record<string, object> = {
    get_ticket: { ticket },
    find_similar: { ticket },
    add_note: { ticket, text: 'noted', ...key },
    change_ticket: { ticket, priority: 'HIGH', ...key },
    decide_approval: { ticket, decision: 'approved', ...key },
    draft_reply: { ticket, text: 'drafted', ...key },
    send_reply: { draftId: replyDraft, version: 1, ...key },
  };
  return inputs[name] ?? {};
}

/** Returns the code of a tool's error; undefined for an answer. */
function toolCode(
  name: string,
  sees: readonly Place[],
  { kind, actor, place }: { kind: QueueVisibility; actor: Actor; place: Place },
): string | undefined {
  // Only agents may call what is behind these.
  if (actor === 'requester' && ['draft_reply', 'send_reply'].includes(name)) return 'FORBIDDEN';
  if (!sees.includes(place)) return 'NOT_FOUND';
  const decision = TOOL_DECISIONS[name];
  if (decision === 'read') return undefined;
  const isTeam = IS_TEAM[actor][kind].includes(place);
  // Who asked does not decide.
  const isOwn = isPerson(actor) && place === 'own ticket' && decision === 'decision';
  return isTeam && !isOwn ? undefined : 'FORBIDDEN';
}

/** The same workspace, with AI tools and what they may read of every queue. */
async function setUpTools(kind: QueueVisibility, settings: { mcpMayRead: boolean; mcpPrivate: boolean }) {
  const running = await setUp(kind);
  await allow(running);
  for (const { id } of (await running.call('GET', '/queues')).body.items)
    expect((await running.call('PUT', `/queues/${id}`, { body: { settings } })).status).toBe(200);
  return running;
}

describe('every AI tool', () => {
  it('has a decision, and none of them deletes, merges or changes settings', () => {
    expect(TOOLS.map(({ name }) => name).toSorted()).toEqual(Object.keys(TOOL_DECISIONS).toSorted());
  });

  it.each(KINDS)(
    'reads and changes tickets of queues for %s only as the API would, where the queues let it read',
    async (kind) => {
      const settings = { mcpMayRead: true, mcpPrivate: true };
      const { people, makeTicket, addParts, ...running } = await setUpTools(kind, settings);
      for (const place of PLACES)
        for (const actor of ACTORS) {
          let unchanged: Made | undefined;
          for (const name of ON_TICKETS) {
            const made: Made = unchanged ?? (await makeTicket(actor, place));
            if (name === 'send_reply') await addParts(made, ['replyDraft']);
            const { code } = await callTool(running, people[actor].token, name, toolInput(name, made));
            const expected = toolCode(name, SEES[actor][kind], { kind, actor, place });
            expect([name, actor, place, code]).toEqual([name, actor, place, expected]);
            const isWritten = expected === undefined && TOOL_DECISIONS[name] !== 'read';
            unchanged = isWritten ? undefined : made;
          }
        }
    },
  );

  it.each(KINDS)(
    'keeps private tickets and notes of queues for %s from everyone, unless the queue lets it read them',
    async (kind) => {
      const settings = { mcpMayRead: true, mcpPrivate: false };
      const { people, make, ...running } = await setUpTools(kind, settings);
      // Nothing changes them: only one's own ticket is another one for each.
      const shared = new Map<Place, Made>();
      for (const actor of ACTORS) {
        const { token } = people[actor];
        const made = new Map<Place, Made>();
        for (const place of PLACES) {
          const its = shared.get(place) ?? (await make(actor, place, 'striped zebra'));
          made.set(place, its);
          if (place !== 'own ticket') shared.set(place, its);
        }
        // Only this place is not private.
        const open: readonly Place[] = SEES[actor][kind].filter((place) => place === 'other queue, public');
        for (const [place, its] of made)
          for (const name of ON_TICKETS.filter((each) => TOOL_DECISIONS[each] === 'read')) {
            const { code, text } = await callTool(running, token, name, toolInput(name, its));
            const expected = open.includes(place) ? undefined : 'NOT_FOUND';
            expect([name, actor, place, code]).toEqual([name, actor, place, expected]);
            expect([name, actor, place, text.includes('whispered')]).toEqual([name, actor, place, false]);
          }
        for (const input of [{}, { query: 'zebra' }, { query: 'whispered' }]) {
          const { text } = await callTool(running, token, 'search_tickets', input);
          const shown = PLACES.filter((place) => text.includes(made.get(place)?.ticket ?? ''));
          const expected = input.query === 'whispered' ? [] : open;
          expect([actor, input, shown]).toEqual([actor, input, expected]);
        }
      }
    },
  );

  it.each(KINDS)('reads nothing of queues for %s that do not let it', async (kind) => {
    const settings = { mcpMayRead: false, mcpPrivate: true };
    const { people, makeTicket, addParts, ...running } = await setUpTools(kind, settings);
    for (const place of PLACES) {
      // Nothing changes it: only one's own ticket is another one for each.
      let shared: Made | undefined;
      for (const actor of ACTORS) {
        const made: Made = shared ?? (await makeTicket(actor, place, 'striped zebra'));
        await addParts(made, ['replyDraft']);
        if (place !== 'own ticket') shared = made;
        for (const name of ON_TICKETS) {
          const { code } = await callTool(running, people[actor].token, name, toolInput(name, made));
          const expected = toolCode(name, [], { kind, actor, place });
          expect([name, actor, place, code]).toEqual([name, actor, place, expected]);
        }
        const { output } = await callTool(running, people[actor].token, 'search_tickets', { query: 'zebra' });
        expect([actor, place, output?.['tickets']]).toEqual([actor, place, []]);
      }
    }
  });
});
