import { expect, test } from 'vitest';

import { DEMO } from '../../src/start/demo.ts';
import { startProcess, startWorld } from '../harness/world.ts';

const MESSAGES = 10;

test('B52 stopping while both sides continue to write ends without an error', async () => {
  const world = await startWorld();
  const { id: ticketId } = await world.service.createTicket({ body: { title: 'Talked about' } });
  // Not by the client, which would retry when the service is gone.
  const answer = (content: string) =>
    fetch(`${world.urls.api}/ticket-messages`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-service-api-token': world.apiKey },
      body: JSON.stringify({ ticketId, content }),
    });
  const stored = world.logLine((line) => line['event'] === 'inbox.stored');
  const talk = Array.from({ length: MESSAGES }, (_, n) => [
    world.chat.say(DEMO.channels.itHelp.id, 'ada', `Number ${n}`),
    answer(`Number ${n}`),
  ]);
  const talked = Promise.allSettled(talk.flat());
  await stored;
  world.skipComparison('it ends in the middle of the talk');
  await world.stop();
  await talked;
  expect(world.log.filter(({ level }) => Number(level) >= 50)).toEqual([]);
});

test('F11 Ctrl-C under npm, which also forwards the signal, ends the program cleanly although the signal comes twice', async () => {
  const world = await startProcess();
  const stops = world.logLine((line) => line.msg === 'stopping');
  world.interrupt();
  await stops;
  world.interrupt();
  expect(await world.stop()).toBe(0);
});
