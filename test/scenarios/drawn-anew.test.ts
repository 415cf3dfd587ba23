import { expect, test } from 'vitest';

import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import { sharedWorld } from '../harness/world.ts';

const BEFORE = 'the lamp above my desk flickers';
const MEANWHILE = 'all lamps on our floor flicker';

const world = sharedWorld();

interface Place {
  /** The call that shows a ticket's title there. */
  fault: { method: string; channel?: string };
  shown: () => Promise<string>;
}

/** A ticket with this title, which Mira is asked to approve in her Home and in a message. */
async function showTicket(): Promise<{ id: string; home: Place; question: Place }> {
  const { chat, service } = world;
  const { bot } = await chat.state();
  const { ts } = await chat.say('it-help', 'ada', `<@${bot}> ${BEFORE}`);
  const { id } = await ticketAt(service, ts);
  const mira = (await service.listUsers({ query: { search: 'Mira' } })).items[0]?.id ?? '';
  await service.updateTicket({ params: { id }, body: { data: { approverIds: [mira] } } });
  await chat.post('open-home', { user: 'mira' });
  const question = async () => {
    const messages = await chat.messages('@deskbridge', 'mira').catch(() => []);
    return messages.findLast(({ blocks }) => JSON.stringify(blocks).includes(id));
  };
  const asked = await until('the question to Mira', question);
  await world.untilIdle();
  return {
    id,
    home: {
      fault: { method: 'views.publish' },
      shown: async () => JSON.stringify((await chat.read<{ home: unknown }>('views/mira')).home),
    },
    question: {
      fault: { method: 'chat.update', channel: asked.channel },
      shown: async () => JSON.stringify(await question()),
    },
  };
}

test.each(['home', 'question'] as const)(
  'what changed back while an answer of Slack was lost is shown as it was before: the %s',
  async (name) => {
    const { chat, service } = world;
    const { id, [name]: place } = await showTicket();
    expect(await place.shown()).toContain(BEFORE);
    const faults = [
      { ...place.fault, kind: 'answer_lost', times: 1 },
      { ...place.fault, kind: 'error', error: 'internal_error', times: null },
    ];
    await chat.post('faults', { faults });
    await service.updateTicket({ params: { id }, body: { data: { title: MEANWHILE } } });
    await until('the new title', async () => (await place.shown()).includes(MEANWHILE), {
      seen: place.shown,
    });
    await service.updateTicket({ params: { id }, body: { data: { title: BEFORE } } });
    await chat.post('clear-faults', {});
    await world.untilIdle();
    expect(await place.shown()).toContain(BEFORE);
    expect(await place.shown()).not.toContain(MEANWHILE);
  },
);
