import { describe, expect, it } from 'vitest';

import type { AuditEntry, TicketActivity } from '../../../src/contract/index.ts';
import { ASSIST_LIMITS } from '../../../src/service/assist/limits.ts';
import { TOOLS } from '../../../src/service/assist/tools/index.ts';
import { type Running, sharedService } from '../harness.ts';
import { signIn } from '../signed-in.ts';
import { openTables } from '../world.ts';
import { allow, callTool, newKey } from './mcp-call.ts';

const newWorkspace = sharedService();

/** A workspace with the AI tools on, an agent, a requester and her ticket. */
async function setUp() {
  const running = await newWorkspace();
  await allow(running);
  const { db } = openTables(running);
  const { call, workspaceId } = running;
  const post = async (path: string, body: object) => {
    const answer = await call('POST', path, { body });
    expect([path, answer.status, answer.body]).toEqual([path, 200, answer.body]);
    return answer.body;
  };
  const agent = await signIn(db, workspaceId, { role: 'agent', name: 'Bo' });
  const ada = await signIn(db, workspaceId, { role: 'requester', name: 'Ada' });
  const queueId = (await call('GET', '/queues')).body.items[0]?.id ?? '';
  const ticket = await post('/tickets', {
    title: 'The VPN drops',
    description: 'Every few minutes',
    requesterId: ada.personId,
  });
  const tool = (name: string, input: object = {}, token = agent.token, headers = {}) =>
    callTool(running, token, name, input, headers);
  const messages = async () => (await call('GET', `/ticket-messages?ticketId=${ticket.id}`)).body.items;
  return { ...running, db, post, agent, ada, queueId, ticket, tool, messages };
}

const statusIdOf = async ({ call }: Pick<Running, 'call'>, label: string) =>
  (await call('GET', '/statuses')).body.items.find((status) => status.label === label)?.id ?? '';

it('an agent finds a ticket, drafts a reply, sends what was seen, and closes the ticket', async () => {
  const { post, ticket, tool, agent, messages, ...running } = await setUp();
  const kb = (await post('/kbs', { name: 'Handbook', global: true })).id;
  await post(`/kbs/${kb}/documents`, { title: 'VPN', content: 'Restart the VPN client, then the router.' });

  const found = await tool('search_tickets', { query: 'vpn' });
  expect(found.output).toMatchObject({ tickets: [{ id: ticket.id, title: { data: 'The VPN drops' } }] });
  expect((await tool('search_documents', { query: 'the vpn drops' })).output).toMatchObject({
    documents: [{ title: { data: 'VPN' }, text: { data: 'Restart the VPN client, then the router.' } }],
  });
  const draft = await tool('draft_reply', {
    ticket: ticket.code,
    text: 'Restart it.',
    idempotencyKey: newKey(),
  });
  const draftId = String(draft.output?.['draftId']);
  expect(await messages()).toEqual([]);
  expect((await tool('get_ticket', { ticket: ticket.code })).output).toMatchObject({
    replyDrafts: [{ id: draftId, version: 1, text: { data: 'Restart it.' }, author: { data: 'Bo' } }],
  });
  const sent = { draftId, version: 1, idempotencyKey: newKey() };
  expect((await tool('send_reply', sent)).output).toMatchObject({ ticketId: ticket.id, draftId });
  expect(await messages()).toMatchObject([
    { content: 'Restart it.', authorId: agent.personId, private: false },
  ]);
  const statusId = await statusIdOf(running, 'Closed');
  const change = { ticket: ticket.code, statusId, idempotencyKey: newKey() };
  expect((await tool('change_ticket', change)).output).toMatchObject({ reference: ticket.code });
  expect((await running.call('GET', `/tickets/${ticket.id}`)).body.closedAt).not.toBeNull();
});

describe('the switches of the workspace', () => {
  it('are off at first: no tool does anything', async () => {
    const running = await newWorkspace();
    const agent = await signIn(openTables(running).db, running.workspaceId, { role: 'agent' });
    expect((await callTool(running, agent.token, 'search_tickets')).code).toBe('FORBIDDEN');
    expect((await running.call('GET', `/workspaces/${running.workspaceId}`)).body).toMatchObject({
      settings: { mcpRead: false, mcpWrite: false, mcpSend: false },
    });
  });

  it('each need those before it, and count from the next call', async () => {
    const { ticket, tool, ...running } = await setUp();
    const note = () => tool('add_note', { ticket: ticket.id, text: 'Noted', idempotencyKey: newKey() });
    const draft = () => tool('draft_reply', { ticket: ticket.id, text: 'Hi', idempotencyKey: newKey() });
    const draftId = (await draft()).output?.['draftId'];
    const reply = () => tool('send_reply', { draftId, version: 1, idempotencyKey: newKey() });
    await allow(running, { mcpSend: false });
    expect([(await note()).code, (await reply()).code]).toEqual([undefined, 'FORBIDDEN']);
    await allow(running, { mcpWrite: false, mcpSend: true });
    expect([(await note()).code, (await reply()).code]).toEqual(['FORBIDDEN', 'FORBIDDEN']);
    await allow(running, { mcpRead: false, mcpWrite: true });
    expect([(await tool('my_work')).code, (await note()).code]).toEqual(['FORBIDDEN', 'FORBIDDEN']);
    await allow(running);
    expect((await reply()).code).toBeUndefined();
  });

  it('of a queue that becomes its team’s is off again, and so it is for a new queue of a team', async () => {
    const { call, db, workspaceId, post, queueId } = await setUp();
    await signIn(db, workspaceId, { role: 'agent', queueIds: [queueId] });
    const shown = async (body: object) =>
      (await call('PUT', `/queues/${queueId}`, { body })).body as unknown as {
        settings: { mcpMayRead: boolean; mcpPrivate: boolean };
      };
    expect((await shown({})).settings).toMatchObject({ mcpMayRead: true, mcpPrivate: false });
    await shown({ settings: { mcpMayRead: true } });
    expect((await shown({ visibility: 'team' })).settings.mcpMayRead).toBe(false);
    expect((await shown({ settings: { mcpMayRead: true } })).settings.mcpMayRead).toBe(true);
    const person = await signIn(db, workspaceId, { role: 'agent' });
    const ofTeam = await post('/queues', {
      name: 'HR',
      prefix: 'HR',
      visibility: 'team',
      autoAssignees: person.personId,
    });
    expect(ofTeam).toMatchObject({ settings: { mcpMayRead: false } });
  });

  it('a role that changes counts from the next call', async () => {
    const { call, ticket, tool, agent } = await setUp();
    const note = () => tool('add_note', { ticket: ticket.id, text: 'Noted', idempotencyKey: newKey() });
    expect((await note()).code).toBeUndefined();
    await call('PUT', `/users/${agent.personId}`, { body: { role: 'requester' } });
    // The ticket is not theirs.
    expect((await note()).code).toBe('NOT_FOUND');
    await call('PUT', `/users/${agent.personId}`, { body: { isDeactivated: true } });
    expect((await note()).code).toBe('UNAUTHORIZED');
  });
});

describe('an idempotency key', () => {
  it('makes a repeated call answer the same and do nothing, also when both come at once', async () => {
    const { ticket, tool, messages } = await setUp();
    const note = { ticket: ticket.id, text: 'Once', idempotencyKey: newKey() };
    const answers = await Promise.all([1, 2, 3].map(() => tool('add_note', note)));
    answers.push(await tool('add_note', note));
    expect(new Set(answers.map(({ output }) => JSON.stringify(output))).size).toBe(1);
    expect(await messages()).toHaveLength(1);
  });

  it('is one person’s, is free again after a refusal, and is refused for another input', async () => {
    const { ticket, tool, messages, token, queueId } = await setUp();
    const idempotencyKey = newKey();
    const note = { ticket: 'HELP-999', text: 'One', idempotencyKey };
    expect((await tool('add_note', note)).code).toBe('NOT_FOUND');
    expect((await tool('add_note', { ...note, ticket: ticket.id })).code).toBeUndefined();
    expect((await tool('add_note', { ...note, ticket: ticket.id, text: 'Two' })).code).toBe(
      'UNPROCESSABLE_CONTENT',
    );
    const open = { title: 'T', queueId, idempotencyKey };
    expect((await tool('create_ticket', open)).code).toBe('UNPROCESSABLE_CONTENT');
    expect((await tool('add_note', { ...note, ticket: ticket.id }, token)).code).toBeUndefined();
    expect(await messages()).toHaveLength(2);
  });

  it('is needed for everything that writes', async () => {
    const { ticket, tool } = await setUp();
    for (const name of ['add_note', 'draft_reply'])
      expect((await tool(name, { ticket: ticket.id, text: 'x' })).code).toBe('BAD_REQUEST');
  });
});

it('a change over a newer one is refused if the caller says what they expect', async () => {
  const { call, ticket, tool } = await setUp();
  const change = (expected: object) =>
    tool('change_ticket', { ticket: ticket.id, priority: 'LOW', expected, idempotencyKey: newKey() });
  await call('PUT', `/tickets/${ticket.id}`, { body: { data: { priority: 'URGENT' } } });
  const { code, text } = await change({ priority: 'MEDIUM' });
  expect(code).toBe('CONFLICT');
  // Who changed it, and to what, is a text of others.
  expect(text).toContain('\\"data\\":');
  expect((await change({ priority: 'URGENT' })).code).toBeUndefined();
  expect((await tool('change_ticket', { ticket: ticket.id, idempotencyKey: newKey() })).code).toBe(
    'BAD_REQUEST',
  );
});

it('every call is in the audit log with who called, also a refused and a repeated one, and without words', async () => {
  const { call, ticket, tool, agent, ada, workspaceId } = await setUp();
  const note = { ticket: ticket.id, text: 'Very secret words', idempotencyKey: newKey() };
  await tool('get_ticket', { ticket: ticket.id });
  await tool('search_tickets', { query: 'secret' });
  await tool('add_note', note);
  await tool('add_note', note);
  await tool('add_note', note, ada.token);
  const { items } = (await call('GET', '/audit-entries?action=tool.called&limit=50')).body as unknown as {
    items: AuditEntry[];
  };
  const lines = items
    .filter((entry) => entry.workspaceId === workspaceId)
    .map(({ actorId, subjectId, detail }) => [actorId, subjectId, detail?.['tool'], detail?.['outcome']]);
  expect(lines.toReversed()).toEqual([
    [agent.personId, ticket.id, 'get_ticket', 'done'],
    [agent.personId, null, 'search_tickets', 'done'],
    [agent.personId, ticket.id, 'add_note', 'done'],
    [agent.personId, ticket.id, 'add_note', 'repeated'],
    [ada.personId, null, 'add_note', 'refused'],
  ]);
  expect(JSON.stringify(items)).not.toContain('secret');
});

describe('an AI agent that acts with an API key', () => {
  async function withAgent(tools: string[]) {
    const running = await setUp();
    const { post, queueId, ticket, key } = running;
    const agentId = (await post('/agents', { name: 'Patch', enabled: true, tools, queueIds: [queueId] })).id;
    const token = await key('agent');
    const as = (name: string, input: object = {}, more: Record<string, string> = {}) =>
      running.tool(name, input, token, { 'x-ai-agent': agentId, 'x-ticket': ticket.code, ...more });
    return { ...running, agentId, as };
  }

  it('may call what its record lists and nothing else; without a list, nothing', async () => {
    const { call, as, agentId, ticket } = await withAgent(['get_ticket', 'add_note']);
    expect((await as('get_ticket', { ticket: ticket.id })).code).toBeUndefined();
    expect((await as('search_tickets')).code).toBe('FORBIDDEN');
    await call('POST', '/agents', { body: { id: agentId, tools: [] } });
    expect((await as('get_ticket', { ticket: ticket.id })).code).toBe('FORBIDDEN');
  });

  it('has every call on the history of its ticket, where its team sees it and others do not', async () => {
    const { call, as, ticket, db, post, workspaceId, messages, agentId } = await withAgent([
      'get_ticket',
      'add_note',
    ]);
    const elsewhere = (await post('/queues', { name: 'B', prefix: 'BBB' })).id;
    const other = await signIn(db, workspaceId, { role: 'agent', queueIds: [elsewhere] });
    await as('get_ticket', { ticket: ticket.id });
    await as('add_note', { ticket: ticket.id, text: 'Looked', idempotencyKey: newKey() });
    await as('my_work');
    const called = async (token?: string) => {
      const path = `/tickets/${ticket.id}/activity`;
      const { items } = (await call('GET', path, token === undefined ? {} : { token })).body as unknown as {
        items: TicketActivity[];
      };
      return items
        .filter(({ kind }) => kind === 'called')
        .map(({ actor, field, to }) => [actor.kind, actor.name, field, to]);
    };
    expect(await called()).toEqual([
      ['agent', 'Patch', 'get_ticket', 'done'],
      ['agent', 'Patch', 'add_note', 'done'],
      ['agent', 'Patch', 'my_work', 'refused'],
    ]);
    expect(await called(other.token)).toEqual([]);
    expect(await messages()).toMatchObject([{ agent: { id: agentId }, authorId: null, source: 'AGENT' }]);
  });

  it('changes its own ticket alone, approves nothing, and reads no private ticket and no note', async () => {
    const tools = ['get_ticket', 'add_note', 'decide_approval', 'search_tickets'];
    const { call, as, post, ticket, queueId } = await withAgent(tools);
    // Even where the queue lets others.
    await call('PUT', `/queues/${queueId}`, { body: { settings: { mcpPrivate: true } } });
    const other = await post('/tickets', { title: 'Other' });
    const secret = await post('/tickets', { title: 'Secret', private: true });
    await post('/ticket-messages', { ticketId: ticket.id, content: 'Whispered', private: true });
    const note = (on: string) => as('add_note', { ticket: on, text: 'x', idempotencyKey: newKey() });
    expect((await note(other.id)).code).toBe('FORBIDDEN');
    expect((await as('get_ticket', { ticket: other.id })).code).toBeUndefined();
    expect((await as('get_ticket', { ticket: secret.id })).code).toBe('NOT_FOUND');
    expect((await as('get_ticket', { ticket: ticket.id })).text).not.toContain('Whispered');
    const decide = { ticket: ticket.id, decision: 'approved', idempotencyKey: newKey() };
    expect((await as('decide_approval', decide)).code).toBe('FORBIDDEN');
    expect((await as('get_ticket', { ticket: ticket.id }, { 'x-ticket': secret.code })).code).toBe(
      'NOT_FOUND',
    );
  });

  it('is no way around anything: no person can act as one, nor a key without the right, nor as one that is off', async () => {
    const { call, tool, agent, agentId, ticket, key } = await withAgent(['get_ticket']);
    const headers = { 'x-ai-agent': agentId, 'x-ticket': ticket.code };
    const read = async (token: string, more = {}) =>
      (await tool('get_ticket', { ticket: ticket.id }, token, { ...headers, ...more })).code;
    expect(await read(agent.token)).toBe('FORBIDDEN');
    expect(await read(await key('read'))).toBe('FORBIDDEN');
    expect(await read(await key('agent'), { 'x-ai-agent': 'agt_none' })).toBe('NOT_FOUND');
    await call('POST', '/agents', { body: { id: agentId, enabled: false } });
    expect(await read(await key('agent'))).toBe('NOT_FOUND');
  });
});

describe('answers are bounded', () => {
  it('has at most twenty messages, the rest by a cursor, and cuts long texts', async () => {
    const { post, ticket, tool } = await setUp();
    for (let at = 0; at < 25; at += 1)
      await post('/ticket-messages', { ticketId: ticket.id, content: `${at} ${'x'.repeat(10_000)}` });
    type Read = { messages: { text: { data: string; cut?: true } }[]; olderMessages: string | null };
    const read = async (before?: string | null) =>
      (await tool('get_ticket', { ticket: ticket.id, ...(before && { before }) })).output as unknown as Read;
    const newest = await read();
    expect(newest.messages).toHaveLength(ASSIST_LIMITS.messages);
    expect(newest.messages.at(-1)?.text).toMatchObject({ cut: true });
    expect(newest.messages.at(-1)?.text.data).toHaveLength(ASSIST_LIMITS.message);
    const older = await read(newest.olderMessages);
    expect(older.messages.map(({ text }) => text.data.split(' ')[0])).toEqual(['0', '1', '2', '3', '4']);
    expect(older.olderMessages).toBeNull();
  });

  it('is never larger than its limit, whatever the largest records are', async () => {
    const { post, ticket, tool } = await setUp();
    // Three bytes each, and escaped in JSON.
    for (let at = 0; at < 20; at += 1)
      await post('/ticket-messages', { ticketId: ticket.id, content: '"文'.repeat(20_000) });
    const { output, text } = await tool('get_ticket', { ticket: ticket.id });
    expect(output).toBeDefined();
    expect(Buffer.byteLength(text)).toBeLessThan(3 * ASSIST_LIMITS.answerBytes);
  });
});

it.each([
  ['signs alone', '???', null],
  ['a description alone', null, '???'],
  ['the word null', 'null', ''],
  ['a word that stands everywhere', 'The', 'the'],
  ['a sign that the limit cuts', 'T', `${'x'.repeat(497)}😀`],
])('for a ticket of %s, similar ones are found or there are none', async (_what, title, description) => {
  const { post, tool } = await setUp();
  const { id } = await post('/tickets', { title, description });
  const { code, output } = await tool('find_similar', { ticket: id });
  expect([code, output]).toMatchObject([undefined, { ticketId: id, tickets: expect.any(Array) as object }]);
});

it('an argument that a tool does not have is refused, and the known ones are named', async () => {
  const { tool } = await setUp();
  const refused = await tool('search_tickets', { q: 'vpn' });
  expect(refused.code).toBe('BAD_REQUEST');
  expect(refused.text).toContain('search_tickets has no such argument. It has: query, queueId');
  for (const { name, input } of TOOLS) {
    const { code, text } = await tool(name, { unknown: 'x' });
    expect([name, code]).toEqual([name, 'BAD_REQUEST']);
    for (const known of Object.keys(input.shape))
      expect([name, text]).toEqual([name, expect.stringContaining(known)]);
  }
});
