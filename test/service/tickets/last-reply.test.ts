import { describe, expect, it } from 'vitest';

import { create, person } from './requests.ts';
import { made, read, setUp } from './targets.ts';

describe('the last reply in the record of a ticket', () => {
  it('is the newest public message as it is now, and nothing of notes and deleted ones', async () => {
    const { service, clock } = await setUp();
    const [ada, mira] = [await person(service, 'Ada'), await person(service, 'Mira')];
    const { id } = await create(service, { requesterId: ada });
    const write = async (authorId: string, content: string, more = {}) => {
      clock.pass(60_000);
      return (await made(service, '/ticket-messages', { ticketId: id, authorId, content, ...more })).id;
    };
    const change = (method: string, message: string, body?: object) =>
      service.call(method, `/ticket-messages/${message}`, { body });
    const last = async () => {
      const { lastReply } = await read(service, id);
      const { body: list } = await service.call('GET', `/tickets?set=${id}`);
      const { body: thin } = await service.call('GET', `/tickets?set=${id}&responseType=thin`);
      expect([list.items[0]?.lastReply, thin.items[0]?.lastReply]).toEqual([lastReply, lastReply]);
      return lastReply && [lastReply.id, lastReply.authorId, lastReply.excerpt];
    };
    expect(await last()).toBeNull();
    await write(mira, 'secret before', { private: true });
    expect(await last()).toBeNull();
    const first = await write(ada, 'It **hums**');
    const second = await write(mira, 'x'.repeat(1000));
    await write(mira, 'secret after', { private: true });
    expect(await last()).toEqual([second, mira, 'x'.repeat(200)]);
    await change('PUT', second, { content: 'Since when?' });
    expect(await last()).toEqual([second, mira, 'Since when?']);
    await change('PUT', second, { private: true });
    expect(await last()).toEqual([first, ada, 'It **hums**']);
    await change('PUT', second, { private: false });
    await change('DELETE', second);
    expect(await last()).toEqual([first, ada, 'It **hums**']);
  });

  it('names the AI agent that wrote it', async () => {
    const { service } = await setUp();
    const { id: assignedAIAgent } = await made(service, '/agents', { name: 'Scout' });
    const { id: ticketId } = await create(service, { assignedAIAgent });
    await made(service, '/ticket-messages', { ticketId, content: 'Descale it', source: 'AGENT' });
    expect((await read(service, ticketId)).lastReply).toMatchObject({
      agent: { id: assignedAIAgent, name: 'Scout', imageUrl: null },
      workflow: null,
      excerpt: 'Descale it',
    });
  });
});
