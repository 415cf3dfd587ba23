import { describe, expect, it } from 'vitest';

import { type Answered, type Running, sharedService } from './harness.ts';
import { anotherWorkspace } from './world.ts';

const newWorkspace = sharedService();

type Started = Running;

const poster =
  ({ call }: Started) =>
  (path: string, body: object): Promise<Answered> =>
    call('POST', path, { body });

describe('AI agents', () => {
  it('are created and updated by one operation, which returns the full record', async () => {
    const service = await newWorkspace();
    const post = poster(service);
    const personality = (await post('/personalities', { persona: 'Calm', tone: 'warm' })).body.id;
    const kb = (await post('/kbs', { name: 'Handbook' })).body.id;
    const type = (await post('/request-types', { name: 'Laptop', aiExamples: 'My screen is broken' })).body
      .id;
    const queue = (await post('/queues', { name: 'IT', prefix: 'IT', requestTypes: [{ id: type }] })).body.id;
    await post('/kbs', { id: kb, name: 'Handbook', queueIds: [queue] });
    const channel = (
      await service.call('PUT', '/chat-channels', { body: { channelId: 'C1', channelName: 'it' } })
    ).body.id;
    const made = await post('/agents', {
      name: 'Helper',
      personalityId: personality,
      respondOnMessage: 'channel-messages',
      autoTag: true,
      tools: ['search', 'search'],
      chatChannelIds: [channel],
      queueIds: [queue],
      kbIds: [kb, kb],
      requestTypeIds: [type],
    });
    const handbook = { id: kb, name: 'Handbook', system: false, global: false, lastSyncTS: null };
    expect([made.status, made.body]).toMatchObject([
      200,
      {
        name: 'Helper',
        enabled: true,
        respondOnMessage: 'channel-messages',
        respondOnMention: true,
        autoTag: true,
        autoEscalate: false,
        tools: ['search'],
        workspace: { id: service.workspaceId },
        personality: { id: personality, persona: 'Calm', greeting: null },
        chatChannels: [{ id: channel, channelName: 'it' }],
        queues: [{ id: queue, prefix: 'IT', requestTypes: [{ id: type, icon: null }], kBs: [handbook] }],
        kBs: [{ ...handbook, _count: { kBDocuments: 0 } }],
        requestTypes: [{ id: type, aiExamples: 'My screen is broken', customFields: [] }],
        workflows: [],
        deletedAt: null,
      },
    ]);
    const workspace = await service.call('GET', `/workspaces/${service.workspaceId}`);
    expect(workspace.body).toMatchObject({ chatTriageChannels: [{ id: channel, agentId: made.body.id }] });
    const again = await post('/agents', { id: made.body.id, enabled: false, kbIds: [], personalityId: null });
    expect(again.body).toMatchObject({
      id: made.body.id,
      name: 'Helper',
      enabled: false,
      kBs: [],
      queues: [{ id: queue }],
      personality: null,
    });
    expect((await service.call('GET', '/agents?enabled=true')).body.totalCount).toBe(0);
  });

  it('need a name on creation, and refer only to records of their workspace', async () => {
    const service = await newWorkspace();
    const post = poster(service);
    const other = await anotherWorkspace(service);
    expect((await post('/agents', {})).body.issues?.[0]?.path).toBe('name');
    const foreign = (
      await service.call('POST', '/personalities', { body: { persona: 'x' }, token: other.token })
    ).body.id;
    const wrong = {
      personalityId: foreign,
      queueIds: [other.queueId],
      kbIds: ['kbs_none'],
      requestTypeIds: ['rqt_none'],
      chatChannelIds: ['chn_none'],
      workflowIds: ['wfl_none'],
    };
    for (const [name, value] of Object.entries(wrong)) {
      const { status, body } = await post('/agents', { name: 'Helper', [name]: value });
      expect([status, body.issues?.[0]?.path]).toEqual([422, name]);
    }
    expect((await service.call('GET', '/agents')).body.totalCount).toBe(0);
    expect((await post('/agents', { name: 'x', respondOnMessage: 'sometimes' })).status).toBe(400);
  });

  it('are removed once, and come back when they are saved again', async () => {
    const service = await newWorkspace();
    const post = poster(service);
    const { id } = (await post('/agents', { name: 'Helper' })).body;
    const remove = () => service.call('DELETE', `/agents/${id}`);
    const answers = await Promise.all([remove(), remove()]);
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 404]);
    expect((await service.call('GET', `/agents/${id}`)).status).toBe(404);
    expect((await service.call('GET', '/agents')).body.items).toEqual([]);
    expect((await post('/agents', { id })).body).toMatchObject({ name: 'Helper', deletedAt: null });
    expect((await service.call('GET', `/agents/${id}`)).status).toBe(200);
  });
});

describe('knowledge bases', () => {
  it('have unique names, and count their documents', async () => {
    const service = await newWorkspace();
    const post = poster(service);
    const answers = await Promise.all(['FAQ', 'faq', 'Faq'].map((name) => post('/kbs', { name })));
    expect(answers.map(({ status }) => status).sort()).toEqual([200, 409, 409]);
    const id = answers.find(({ status }) => status === 200)?.body.id ?? '';
    const added = await post(`/kbs/${id}/documents`, { title: 'VPN', content: 'Turn it off and on.' });
    expect(added.body).toMatchObject({ kbId: id, title: 'VPN', url: null });
    const { items } = (await service.call('GET', '/kbs')).body;
    expect(items).toMatchObject([
      { id, lastSyncTS: Date.parse(added.body.createdAt), _count: { kBDocuments: 1 }, queues: [] },
    ]);
    expect((await post('/kbs/kbs_none/documents', { title: 'x', content: 'x' })).status).toBe(404);
    expect((await post(`/kbs/${id}/documents`, { title: 'x', content: '' })).status).toBe(400);
  });

  it('are shown with their workspace, and so is its personality', async () => {
    const service = await newWorkspace();
    const { id } = (await poster(service)('/personalities', { tone: 'dry', emoji: '🙂' })).body;
    const renamed = await poster(service)('/personalities', { id, tone: null });
    expect(renamed.body).toMatchObject({ id, tone: null, emoji: '🙂' });
    const put = await service.call('PUT', `/workspaces/${service.workspaceId}`, {
      body: { activePersonalityId: id },
    });
    expect(put.body).toMatchObject({ activePersonality: { id, emoji: '🙂' } });
  });
});
