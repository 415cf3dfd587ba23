import { describe, expect, test } from 'vitest';

import { until } from '../harness/until.ts';
import { startWorld } from '../harness/world.ts';

const CHANNEL = 'it-help';

describe('the first conversation', () => {
  test.each([
    ['by Socket Mode', 'socket'],
    ['by signed HTTP', 'http'],
  ])(
    'B1 B12 B13 B16 %s: a mention becomes a ticket, replies cross both ways once, and a status set in chat shows on the card',
    async (_, transport) => {
      const world = await startWorld({ SANDBOX_TRANSPORT: transport });
      const { chat, service } = world;
      const state = await chat.state();

      const root = await chat.say(
        CHANNEL,
        'ada',
        `<@${state.bot}> my laptop does not start. It worked yesterday.`,
      );
      const card = await until('a card in the thread', async () =>
        (await chat.thread(CHANNEL, root.ts)).find((message) => message.bot_id),
      );
      const [code = ''] = /IT-\d+/.exec(card.text) ?? [];
      const ticket = await service.readTicket({ params: { id: code } });
      expect(ticket).toMatchObject({
        title: 'my laptop does not start',
        source: 'CHAT',
        private: false,
        chatChannelId: state.channels[CHANNEL],
      });
      expect(ticket.chatThreads[0]).toMatchObject({
        channelId: state.channels[CHANNEL],
        messageTs: root.ts,
      });
      const ada = await service.listUsers({ query: { email: 'ada@acme.example' } });
      expect(ticket.requesterId).toBe(ada.items[0]?.id);
      expect(ticket.authorId).toBe(ticket.requesterId);

      const mira = await service.listUsers({ query: { email: 'mira@acme.example' } });
      await service.createTicketMessage({
        body: {
          ticketId: ticket.id,
          content: 'Have you tried the **other** charger?',
          authorId: mira.items[0]?.id ?? '',
        },
      });
      const answer = await until('the agent’s reply in the thread', async () =>
        (await chat.thread(CHANNEL, root.ts)).find((message) => message.username === 'Mira Lind'),
      );
      expect(answer.text).toBe('Have you tried the other charger?');

      const reply = await chat.say(CHANNEL, 'ada', 'Yes, *that* was it', root.ts);
      const onTicket = await until('the requester’s reply on the ticket', async () => {
        const { items } = await service.listTicketMessages({ query: { ticketId: ticket.id } });
        return items.find((message) => message.chatMessages.some((copy) => copy.ts === reply.ts));
      });
      expect(onTicket).toMatchObject({
        content: 'Yes, **that** was it',
        authorId: ticket.requesterId,
        source: 'CHAT',
      });

      await chat.command(CHANNEL, 'mira', `status ${code} done`);
      await until('the answer to the command', async () =>
        (await chat.ephemeral(CHANNEL, 'mira'))?.text.includes('Done'),
      );
      expect((await service.readTicket({ params: { id: ticket.id } })).status.label).toBe('Done');
      await until('the card to say Done', async () =>
        (await chat.thread(CHANNEL, root.ts))
          .find((message) => message.ts === card.ts)
          ?.text.includes('Done'),
      );

      await service.updateTicket({
        params: { id: ticket.id },
        body: { data: { title: 'Urgent: no power' } },
      });
      await until('the card to follow the service', async () =>
        JSON.stringify(
          (await chat.thread(CHANNEL, root.ts)).find((message) => message.ts === card.ts)?.blocks,
        ).includes('Urgent'),
      );

      await world.untilIdle();
      expect((await service.readTicket({ params: { id: ticket.id } })).chatThreads[0]?.mirrorTs).toBe(
        card.ts,
      );

      // Nothing came twice, and nothing came back.
      const thread = await chat.thread(CHANNEL, root.ts);
      expect(thread.filter((message) => message.username === 'Mira Lind')).toHaveLength(1);
      expect(thread).toHaveLength(3);
      const { items } = await service.listTicketMessages({ query: { ticketId: ticket.id } });
      expect(items.map((message) => message.content)).toEqual([
        'Have you tried the **other** charger?',
        'Yes, **that** was it',
      ]);
    },
  );
});
