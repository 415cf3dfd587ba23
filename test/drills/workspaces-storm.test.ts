import { expect, test } from 'vitest';

import { SANDBOX_SEED } from '../../src/start/demo.ts';
import type { Chat } from '../harness/chat.ts';
import { assertHistory } from '../harness/history-of.ts';
import { until } from '../harness/until.ts';
import { startProcess } from '../harness/world.ts';
import {
  arrives,
  ask,
  CHANNEL,
  install,
  served,
  startTwoWorkspaces,
  wordsIn,
} from '../scenarios/installing.ts';

/** Calls to chat in the sandbox's log. */
interface Call {
  id: number;
  team?: string;
  args: { text?: string; thread_ts?: string };
  fault?: string;
}

test('P10 on two replicas, a workspace in a storm of 429 holds up no other, even when one replica is killed in it: once, in order, and without additional calls', async () => {
  const { base, service, sandbox, home, orbit, settings } = await startTwoWorkspaces(startProcess);
  const first = await base.startAlongside(['bridge'], settings);
  const second = await base.startAlongside(['bridge'], { ...settings, PUBLIC_URL: first.urls.root });
  await home.post('app', { redirectUrls: [`${first.urls.root}/slack/oauth_redirect`] });
  await install(first, home, 'ada');
  await install(first, orbit, 'zoe');
  const teamHome = await served(first, SANDBOX_SEED.team.id);
  const teamOrbit = await served(first, 'Orbit');
  // One replica gets the installation; the other finds it.
  for (const team of [teamHome, teamOrbit]) await served(second, team);

  const inHome = await ask(base, home, 'ada', 'the printer at home is on fire');
  const inOrbit = await ask(base, orbit, 'zoe', 'the printer in orbit is on fire');

  const calls = async (after: number): Promise<Call[]> => {
    const query = new URLSearchParams({ method: 'chat.postMessage', limit: '2000', after: String(after) });
    const answer = await fetch(`${sandbox.urls.sandbox}/_control/calls?${query.toString()}`);
    return ((await answer.json()) as { calls: Call[] }).calls;
  };
  let last = 0;
  // The team's thread has a copy of each.
  const isInHome = ({ team, args }: Call) =>
    team === teamHome && args.thread_ts === inHome.root && args.text?.startsWith('answered');
  /** The posts of answers in the home workspace since the last count, and how many got an error. */
  const posts = async () => {
    const all = await calls(last);
    last = Math.max(last, ...all.map(({ id }) => id));
    const ofHome = all.filter((call) => isInHome(call));
    return { made: ofHome.length, refused: ofHome.filter(({ fault }) => fault !== undefined).length };
  };
  const asked: string[] = [];
  const answered: string[] = [];
  /** Writes on both sides of the home ticket, and waits until all of it has crossed. */
  const talk = async (when: string) => {
    for (let n = 1; n <= 4; n++) {
      asked.push(`asked ${when} ${n}`);
      answered.push(`answered ${when} ${n}`);
      await Promise.all([
        home.say(CHANNEL, 'ada', `asked ${when} ${n}`, inHome.root),
        service.createTicketMessage({
          body: { ticketId: inHome.ticket.id, content: `answered ${when} ${n}` },
        }),
      ]);
    }
    await arrives(home, inHome.root, `answered ${when} 4`);
    await until(
      `all that was asked ${when} to be on the ticket`,
      async () => (await wordsOn(inHome.ticket.id, /^asked/)).length >= asked.length,
      { seen: () => wordsOn(inHome.ticket.id, /^asked/) },
    );
  };
  const wordsOn = async (ticketId: string, wanted: RegExp) => {
    const { items } = await service.listTicketMessages({
      query: { ticketId, limit: 200, sortBy: 'createdAt', sortDirection: 'asc' },
    });
    return items.map(({ content }) => content).filter((content) => wanted.test(content));
  };
  const saidIn = async (chat: Chat, root: string, wanted: RegExp) =>
    (await wordsIn(chat, root)).filter((text) => wanted.test(text));

  await talk('in the calm');
  const calm = await posts();
  expect(calm).toEqual({ made: 4, refused: 0 });

  await home.post('faults', {
    method: '*',
    kind: 'rate_limited',
    retryAfter: 2,
    times: null,
    team: teamOrbit,
  });
  const held = ['in the storm 1', 'in the storm 2', 'in the storm 3'];
  for (const content of held)
    await service.createTicketMessage({ body: { ticketId: inOrbit.ticket.id, content } });
  await until('the storm to strike', async () => (await home.faultHits('*')) > 0);

  await talk('in the storm');
  // The other workspace still waits, and each message took as many calls as before.
  expect(await saidIn(orbit, inOrbit.root, /^in the storm/)).toEqual([]);
  expect(await posts()).toEqual(calm);

  await second.kill();
  await talk('after the kill');
  expect(await saidIn(orbit, inOrbit.root, /^in the storm/)).toEqual([]);

  await home.post('faults', { clear: true, faults: [] });
  await arrives(orbit, inOrbit.root, 'in the storm 3');
  expect(await saidIn(orbit, inOrbit.root, /^in the storm/)).toEqual(held);
  expect(await saidIn(home, inHome.root, /^answered/)).toEqual(answered);
  expect(await wordsOn(inHome.ticket.id, /^asked/)).toEqual(asked);
  // What the killed replica had taken for the team's thread is the other one's once that replica is known to be dead.
  const { chatThreads } = await service.readTicket({ params: { id: inHome.ticket.id } });
  const inTeam = chatThreads.find(({ type }) => type === 'TRIAGE')?.messageTs ?? '';
  for (const words of [asked.at(-1), answered.at(-1)]) await arrives(home, inTeam, words ?? '', 'it-triage');
  await assertHistory({ ...base, chat: sandbox.chat, replicas: true });
});
