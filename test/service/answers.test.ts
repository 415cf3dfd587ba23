import { expect, it } from 'vitest';

import { startDesk } from './answer-desk.ts';

it('B42 an agent quotes what is known and names its source, once, under its own name, and is silent where it knows nothing', async () => {
  const { ask, answers, settled, service, agent, say, ada } = await startDesk();
  const vpn = await ask('The VPN drops every few minutes');
  expect(await settled(vpn.id)).toMatchObject([{ outcome: 'answered', agent_id: agent.id }]);
  const [answer, ...more] = await answers(vpn.id);
  expect(more).toEqual([]);
  expect(answer).toMatchObject({ source: 'AGENT', authorId: null, private: false });
  expect(answer?.content).toBe(
    [
      'Hello!',
      '“VPN: version 5.2.1 drops” says:',
      '> Version 5.2.1 disconnects every few minutes. Install **5.2.2** from the software centre.',
      'Source: [VPN: version 5.2.1 drops](https://handbook.example/vpn)',
    ].join('\n\n'),
  );
  const ticket = await service.readTicket({ params: { id: vpn.id } });
  // An agent's words are no response of the desk's.
  expect([ticket.assignedAIAgent, ticket.respondedAt]).toEqual([agent.id, null]);

  const laptop = await ask('My laptop does not start');
  expect(await settled(laptop.id)).toMatchObject([{ outcome: 'no-answer' }]);
  expect(await answers(laptop.id)).toEqual([]);
  await say(vpn.id, ada, 'And the VPN version 5.2.2 drops as well, every few minutes');
  await settled(vpn.id, 2);
  expect((await answers(vpn.id)).map(({ content }) => content.includes('Hello!'))).toEqual([true, false]);
});
