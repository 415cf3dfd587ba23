import { isNegative } from '../../../src/service/answers/feedback.ts';
import type { ServerResponse } from 'node:http';

import { expect, it } from 'vitest';

import { startDesk } from './answer-desk.ts';
import { until } from '../../harness/until.ts';
import { completion, startModel } from './model-server.ts';
import { startVectorServer } from '../search/vector-server.ts';
import { workNow } from '../work.ts';

it('B42 an AI agent quotes its knowledge and names the source, once, under its own name, and is silent if it knows nothing', async () => {
  const { ask, answers, settled, service, agent, say, ada } = await startDesk();
  const vpn = await ask('The VPN drops every few minutes');
  expect(await settled(vpn.id)).toMatchObject([{ outcome: 'answered', ai_agent_id: agent.id }]);
  const [answer, ...more] = await answers(vpn.id);
  expect(more).toEqual([]);
  expect(answer).toMatchObject({
    source: 'AGENT',
    authorId: null,
    agent: { id: agent.id, name: agent.name, imageUrl: agent.imageUrl },
    private: false,
  });
  expect(answer?.content).toBe(
    [
      'Hello!',
      '“VPN: version 5.2.1 drops” says:',
      '> Version 5.2.1 disconnects every few minutes. Install **5.2.2** from the software centre.',
      'Source: [VPN: version 5.2.1 drops](https://handbook.example/vpn)',
    ].join('\n\n'),
  );
  const ticket = await service.readTicket({ params: { id: vpn.id } });
  // An AI agent's message is not a reply of the team.
  expect([ticket.assignedAIAgent, ticket.respondedAt]).toEqual([agent.id, null]);

  const laptop = await ask('My laptop does not start');
  expect(await settled(laptop.id)).toMatchObject([{ outcome: 'no-answer' }]);
  expect(await answers(laptop.id)).toEqual([]);
  await say(vpn.id, ada, 'And the VPN version 5.2.2 drops as well, every few minutes');
  await settled(vpn.id, 2);
  expect((await answers(vpn.id)).map(({ content }) => content.includes('Hello!'))).toEqual([true, false]);
});

it('an AI agent keeps its name on what it wrote, also once another one has the ticket or it is removed', async () => {
  const { ask, answers, settled, service, agent } = await startDesk();
  const { id } = await ask('The VPN drops every few minutes');
  await settled(id);
  const other = await service.saveAgent({ body: { name: 'Stitch' } });
  await service.updateTicket({ params: { id }, body: { data: { assignedAIAgent: other.id } } });
  // As a program that answers for the ticket's agent.
  await service.createTicketMessage({ body: { ticketId: id, content: 'Done', source: 'AGENT' } });
  await service.deleteAgent({ params: { id: agent.id } });
  expect((await answers(id)).map((message) => message.agent?.name)).toEqual([agent.name, 'Stitch']);
});

it('B42 a new ticket gets the request type and the tags that its words name, and none if two match equally', async () => {
  const { ask, settled, service, desk } = await startDesk({}, { autoClassify: true, autoTag: true });
  const type = async (name: string, description: string) =>
    (await service.saveRequestType({ body: { name, description, published: true } })).id;
  const network = await type('VPN and network', 'The VPN or the network drops or is slow');
  const printers = [await type('Printer on paper', 'Jams'), await type('Printer of photos', 'Jams')];
  const requestTypes = [network, ...printers].map((id) => ({ id }));
  await service.updateQueue({ params: { id: desk.id }, body: { requestTypes } });
  const { id: tag } = await service.createTag({ body: { name: 'vpn' } });
  await service.createTag({ body: { name: 'payroll' } });

  const { id } = await ask('The VPN drops every few minutes, is it the network?');
  await settled(id);
  const sorted = await service.readTicket({ params: { id } });
  expect([sorted.requestTypeId, sorted.tags.map((one) => one.id)]).toEqual([network, [tag]]);
  const { id: unclear } = await ask('The printer jams');
  await settled(unclear);
  expect((await service.readTicket({ params: { id: unclear } })).requestTypeId).toBeNull();
});

it('B42 an AI agent is silent once a person is assigned, claims or answers the ticket', async () => {
  const { ask, answers, settled, service, say, ada, mira } = await startDesk();
  const takeOver: Record<string, (id: string) => Promise<unknown>> = {
    assigned: (id) => service.updateTicket({ params: { id }, body: { data: { assigneeId: mira } } }),
    claims: (id) => service.claimTicket({ params: { id }, body: { userId: mira } }),
    answers: (id) => say(id, mira, 'I am on it'),
  };
  for (const [how, take] of Object.entries(takeOver)) {
    const { id } = await ask(`The VPN drops every few minutes (${how})`);
    await settled(id);
    expect([how, (await answers(id)).length]).toEqual([how, 1]);
    await take(id);
    await say(id, ada, 'And the VPN version 5.2.2 drops as well, every few minutes');
    const [, second] = await settled(id, 2);
    expect([how, second?.outcome]).toEqual([how, 'silent']);
    expect([how, (await answers(id)).length]).toEqual([how, 1]);
  }
});

it('B42 the requester’s 👎 reopens a done ticket and hands it to the team, who can read why; a colleague’s 👎 does not', async () => {
  const { ask, answers, notes, settled, service, ada, mira } = await startDesk(
    {},
    { negativeFeedbackAutoCreate: true },
  );
  const statuses = (await service.listStatuses({ query: {} })).items;
  const done = statuses.find(({ label }) => label === 'Done')?.id ?? '';
  for (const [who, after] of [
    [ada, 'Open'],
    [mira, 'Done'],
  ] as const) {
    const { id } = await ask('The VPN drops every few minutes');
    await settled(id);
    const [answer] = await answers(id);
    await service.updateTicket({ params: { id }, body: { data: { statusId: done } } });
    await service.addReaction({ params: { id: answer?.id ?? '' }, body: { emoji: '👎🏽', authorId: who } });
    const ticket = await service.readTicket({ params: { id } });
    expect([ticket.status.label, ticket.disableAIResponse]).toEqual([after, true]);
    const [note] = await notes(id);
    expect(note?.content).toContain('answer didn’t help');
    expect(note?.agent).toEqual(answer?.agent);
  }
});

it('B42 an unavailable model is retried for a while; then the team gets a note that the agent did not answer', async () => {
  const model = await startModel((response) => response.writeHead(503).end());
  const { ask, answers, notes, settled } = await startDesk(
    { answers: { model: { model: 'm-1', apiKey: 'key-1', baseUrl: model.baseUrl }, answerWithinMs: 1_500 } },
    { autoEscalate: true },
  );
  const { id } = await ask('The VPN drops every few minutes');
  expect(await settled(id)).toMatchObject([{ outcome: 'handed-over' }]);
  expect(model.calls.length).toBeGreaterThan(1);
  expect(await answers(id)).toEqual([]);
  expect(await notes(id)).toHaveLength(1);
});

it('B42 a model’s answer is dropped if a person answers first, and an invalid answer is requested again', async () => {
  const thinking = Promise.withResolvers<ServerResponse>();
  const model = await startModel(
    (response) => response.writeHead(200).end('<html>'),
    (response) => thinking.resolve(response),
    completion('Install **5.2.2** [1].'),
  );
  const { ask, answers, settled, say, mira } = await startDesk({
    answers: { model: { model: 'm-1', apiKey: 'key-1', baseUrl: model.baseUrl } },
  });
  const { id } = await ask('The VPN drops every few minutes');
  const response = await thinking.promise;
  await say(id, mira, 'I am on it');
  completion('Install **5.2.2** [1].')(response);
  expect(await settled(id)).toMatchObject([{ outcome: 'silent', reason: 'an agent has answered' }]);
  expect([await answers(id), model.calls.length]).toEqual([[], 2]);

  model.behave(
    (response) => response.writeHead(200).end('{"choices":[]}'),
    completion('Install **5.2.2** [1].'),
  );
  const next = await ask('The VPN drops every few minutes');
  expect(await settled(next.id)).toMatchObject([{ outcome: 'answered' }]);
  expect((await answers(next.id)).length).toBe(1);
});

it('B62 a model gets the solution of a request with the same meaning, even without a common word, and nothing private', async () => {
  const model = await startModel(completion('Take one from cabinet 3 [1].'));
  const vectors = await startVectorServer('openai');
  const { ask, answers, settled, service, say, mira, tables } = await startDesk({
    // The solution is written after the request, which may have its vector by then.
    search: { openai: { apiKey: 'right', baseUrl: vectors.baseUrl }, renewMs: 0 },
    answers: { model: { model: 'm-1', apiKey: 'key-1', baseUrl: model.baseUrl } },
  });
  const { items: statuses } = await service.listStatuses({ query: {} });
  const statusId = statuses.find(({ label }) => label === 'Done')?.id ?? '';
  const solve = async (title: string, helped: string, more: object = {}) => {
    const { id } = await ask(title, { disableAIResponse: true, ...more });
    await say(id, mira, helped);
    await service.updateTicket({ params: { id }, body: { data: { statusId } } });
  };
  await solve('No toner', 'It lies in cabinet 3.');
  await solve('No paper', 'The key is under the plant.', { private: true });
  await until('their vectors', async () => {
    await workNow(tables, 'embedding');
    return (await tables.db.selectFrom('embedding_due').select('ticket_id').execute()).length === 0;
  });
  const { id } = await ask('That printer on my floor');
  expect(await settled(id)).toMatchObject([{ outcome: 'answered' }]);
  expect((await answers(id))[0]?.content).toContain('cabinet 3');
  expect(model.calls[0]?.body).toContain('It lies in cabinet 3.');
  expect(model.calls[0]?.body).not.toContain('under the plant');
});

it('an AI agent quotes no request of a queue that is not for everyone, as not everyone who asks may read it', async () => {
  const { ask, answers, settled, service, say, mira, desk } = await startDesk();
  const { items: statuses } = await service.listStatuses({ query: {} });
  const statusId = statuses.find(({ label }) => label === 'Done')?.id ?? '';
  const solved = await ask('The toner of the printer is empty', { disableAIResponse: true });
  await say(solved.id, mira, 'It lies in cabinet 3.');
  await service.updateTicket({ params: { id: solved.id }, body: { data: { statusId } } });
  const quotes = async () => {
    const { id } = await ask('The toner of the printer is empty');
    await settled(id);
    return (await answers(id)).map(({ content }) => content.includes('cabinet 3'));
  };
  expect(await quotes()).toEqual([true]);
  await service.updateQueue({ params: { id: desk.id }, body: { visibility: 'agents' } });
  expect(await quotes()).toEqual([]);
});

it.each([
  '-1',
  'thumbsdown',
  '👎',
  ':-1:',
  ':thumbsdown:',
  '👎\uFE0F',
  '👎🏻',
  '👎🏽',
  '👎🏿',
  '👎🏽\uFE0F',
  '-1::skin-tone-2',
  ':-1::skin-tone-6:',
  'thumbsdown::skin-tone-4',
  ':thumbsdown::skin-tone-3:',
])('B42 %j says that an answer did not help', (emoji) => {
  expect(isNegative(emoji)).toBe(true);
});

it.each(['+1', 'thumbsup', '👍', '👍🏽', ':+1:', 'point_down', '1', '--1', 'thumbs', '👇', ''])(
  'B42 %j does not say that an answer did not help',
  (emoji) => {
    expect(isNegative(emoji)).toBe(false);
  },
);
