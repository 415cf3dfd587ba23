import pg from 'pg';
import { expect, test } from 'vitest';

import type { Chat } from '../harness/chat.ts';
import { runCommand } from '../harness/run-command.ts';
import { until } from '../harness/until.ts';
import { startWorld, type World } from '../harness/world.ts';
import {
  arrives,
  ask,
  CHANNEL,
  install,
  installLink,
  invite,
  served,
  startTwoWorkspaces,
  wordsIn,
} from './installing.ts';

/** The target of the desk's _Open the thread_ for each ticket. */
async function threadsAtDesk({ urls, apiKey }: World, tickets: string[]): Promise<(string | null)[]> {
  const headers = { 'sec-fetch-site': 'same-origin', 'content-type': 'application/json' };
  const session = await fetch(`${urls.root}/desk/session`, {
    method: 'POST',
    headers,
    body: JSON.stringify({ key: apiKey }),
  });
  const cookie = session.headers.get('set-cookie')?.split(';')[0] ?? '';
  return Promise.all(
    tickets.map(async (id) => {
      const answer = await fetch(`${urls.root}/desk/api/tickets/${id}`, { headers: { ...headers, cookie } });
      const { chatThreads } = (await answer.json()) as { chatThreads: { url: string | null }[] };
      return chatThreads[0]?.url ?? null;
    }),
  );
}

/** Waits until people's messages on a ticket have these texts. */
async function onTicket({ service }: Pick<World, 'service'>, ticketId: string, words: string[]) {
  const said = async () => {
    const { items } = await service.listTicketMessages({ query: { ticketId, limit: 100 } });
    return items.map(({ content }) => content);
  };
  await until(
    `${words.join(', ')} on the ticket`,
    async () => (await said()).filter((content) => words.includes(content)).length === words.length,
    { seen: said },
  );
}

/** Where a message is in the page of the sandbox. */
const addressIn = ({ urls }: World, { channel, root }: { channel: string; root: string }) =>
  `${urls.sandbox}/archives/${channel}/p${root.replace('.', '')}`;

type Asked = Awaited<ReturnType<typeof ask>>;

/** Two Slack workspaces with a bridge that both have installed, and a ticket of each. */
interface Two {
  base: World;
  bridge: World;
  sandbox: World;
  home: Chat;
  orbit: Chat;
  teamHome: string;
  teamOrbit: string;
  inHome: Asked;
  inOrbit: Asked;
}

const OF_ORBIT = ['--workspace', 'orbit'];

const reply = ({ base }: Two, { ticket }: Asked, content: string) =>
  base.service.createTicketMessage({ body: { ticketId: ticket.id, content } });

test('P10 two workspaces install the app by OAuth: each has its own threads, failures of one do not affect the other, and one that comes back continues', async () => {
  const { base, sandbox, home, orbit, settings } = await startTwoWorkspaces(startWorld);
  const bridge = await base.startAlongside(['start'], settings);
  await home.post('app', { redirectUrls: [`${bridge.urls.root}/slack/oauth_redirect`] });
  const teams = await installInBoth(bridge, home, orbit);
  const two: Two = {
    base,
    bridge,
    sandbox,
    home,
    orbit,
    ...teams,
    inHome: await ask(base, home, 'ada', 'the printer at home is on fire'),
    inOrbit: await ask(base, orbit, 'zoe', 'the printer in orbit is on fire'),
  };
  await eachHasItsThread(two);
  await untrustedPeopleAreSeparateGuests(two);
  await sharedChannelBelongsToTheInstaller(two);
  await rateLimitDelaysOnlyItsWorkspace(two);
  await workspaceThatComesBackContinues(two);
  await tokensAreEncrypted(two);
  await commandsAskForTheWorkspace(two);
});

/** Only the holder of the link can install, and only in the browser that began. Returns the ids of both workspaces. */
async function installInBoth(bridge: World, home: Chat, orbit: Chat) {
  const keyless = await fetch(`${bridge.urls.root}/slack/install`, { redirect: 'manual' });
  expect(keyless.status).toBe(404);
  const stray = await install(bridge, home, 'ada', { otherBrowser: true });
  expect([stray.status, stray.page]).toEqual([400, expect.stringContaining('was not installed')]);
  const first = await install(bridge, home, 'ada');
  expect([first.status, first.page]).toEqual([200, expect.stringContaining('The help desk is in')]);
  expect((await install(bridge, orbit, 'zoe')).page).toContain('Orbit');
  const { out: listed } = await runCommand(['workspaces'], bridge.environment);
  const [teamHome = '', teamOrbit = ''] = listed.split('\n').map((line) => line.split('\t')[0] ?? '');
  expect(listed).toContain(installLink(bridge));
  await served(bridge, teamHome);
  await served(bridge, teamOrbit);
  return { teamHome, teamOrbit };
}

async function eachHasItsThread(two: Two): Promise<void> {
  const { bridge, sandbox, home, orbit, inHome, inOrbit } = two;
  await reply(two, inHome, 'water at home');
  await reply(two, inOrbit, 'water in orbit');
  await arrives(home, inHome.root, 'water at home');
  await arrives(orbit, inOrbit.root, 'water in orbit');
  expect(await threadsAtDesk(bridge, [inHome.ticket.id, inOrbit.ticket.id])).toEqual([
    addressIn(sandbox, inHome),
    addressIn(sandbox, inOrbit),
  ]);
}

/** Orbit is not trusted: its owner can give its people any address, so an address makes nobody a known user. */
async function untrustedPeopleAreSeparateGuests({ base, bridge, orbit, teamOrbit, inHome }: Two) {
  const { service } = base;
  const { out: untrusted } = await runCommand(['workspaces'], bridge.environment);
  expect(untrusted).toMatch(new RegExp(`${teamOrbit}.*not trusted`));
  const doctor = await runCommand(['doctor', ...OF_ORBIT], bridge.environment);
  expect(doctor.out.split('\n').filter((line) => line.includes('trust'))).toEqual([
    expect.stringMatching(new RegExp(`^warn +chat.trust +.* Orbit \\(${teamOrbit}\\) .*is not trusted`)),
    expect.stringContaining(`deskbridge workspaces trust ${teamOrbit}`),
  ]);

  const ada = await service.readUser({ params: { id: inHome.ticket.requesterId ?? '' } });
  const hidden = await service.createTicket({
    body: { title: 'The printer of the board', private: true, requesterId: ada.id },
  });
  await orbit.post('add-person', { name: 'eve', email: ada.email });
  await orbit.post('join', { channel: CHANNEL, user: 'eve' });
  const ofEve = await ask(base, orbit, 'eve', 'the printer of Eve');
  const answerToEve = async (words: string) => {
    const before = (await orbit.ephemeral(CHANNEL, 'eve'))?.ts;
    await orbit.command(CHANNEL, 'eve', words);
    const shown = await until(`an answer to ${words}`, async () => {
      const latest = await orbit.ephemeral(CHANNEL, 'eve');
      return latest && latest.ts !== before ? latest : undefined;
    });
    return JSON.stringify(shown);
  };
  for (const words of [
    'list',
    'list open',
    'search printer',
    `show ${inHome.ticket.code}`,
    `show ${hidden.code}`,
  ]) {
    const text = await answerToEve(words);
    expect([words, text.includes('of the board'), text.includes('at home')]).toEqual([words, false, false]);
  }
  expect(await answerToEve('search printer')).toContain(ofEve.ticket.code);
  expect(await answerToEve('link IT triage')).not.toContain('members are');
  expect(await service.readUser({ params: { id: ofEve.ticket.requesterId ?? '' } })).toMatchObject({
    email: null,
    isGuestCreated: true,
    role: 'requester',
  });
  const still = await service.readUser({ params: { id: ada.id } });
  expect(still.chatUsers.map(({ chatTeamId }) => chatTeamId)).not.toContain(teamOrbit);
}

/**
 * B63: Orbit's channel is hosted by the other workspace, which has the app too: events have its id next to Orbit's.
 */
async function sharedChannelBelongsToTheInstaller({ base, orbit, teamHome, inOrbit }: Two): Promise<void> {
  await orbit.post('share', { channel: CHANNEL, with: teamHome, hostedByThem: true });
  await orbit.post('add-person', { name: 'hal', firstName: 'Hal', teamId: teamHome });
  await orbit.post('join', { channel: CHANNEL, user: 'hal' });
  await orbit.say(CHANNEL, 'zoe', 'it still burns in orbit', inOrbit.root);
  await orbit.say(CHANNEL, 'hal', 'seen from home', inOrbit.root);
  await onTicket(base, inOrbit.ticket.id, ['it still burns in orbit', 'seen from home']);
  const ofHal = await ask(base, orbit, 'hal', 'may I come over?');
  const card = await until('the card', async () =>
    (await orbit.thread(CHANNEL, ofHal.root)).find(({ metadata }) => metadata?.event_payload['card']),
  );
  const at = { channel: CHANNEL, messageTs: card.ts };
  await orbit.withHeldClock(async () => {
    await orbit.post('interact', { user: 'hal', ...at, action: 'card_add_details' });
    await until('the window', () => orbit.modal('hal'));
  });
  await orbit.post('submit-view', { user: 'hal', values: { reply: { reply: 'On Monday.' } } });
  await onTicket(base, ofHal.ticket.id, ['On Monday.']);
}

async function rateLimitDelaysOnlyItsWorkspace(two: Two): Promise<void> {
  const { home, orbit, teamOrbit, inHome, inOrbit } = two;
  await home.post('faults', {
    method: '*',
    kind: 'rate_limited',
    retryAfter: 2,
    times: null,
    team: teamOrbit,
  });
  await reply(two, inOrbit, 'kept in orbit');
  for (let n = 1; n <= 3; n++) await reply(two, inHome, `more at home ${n}`);
  await arrives(home, inHome.root, 'more at home 3');
  expect(await wordsIn(orbit, inOrbit.root)).not.toContain('kept in orbit');
  await home.post('faults', { clear: true, faults: [] });
}

/** Slack removes the bot from every channel with the app; posts that failed for that reason are kept. */
async function workspaceThatComesBackContinues(two: Two): Promise<void> {
  const { bridge, home, orbit, teamOrbit, inHome, inOrbit } = two;
  await orbit.post('uninstall', {});
  await served(bridge, teamOrbit, 'workspace.let_go');
  await reply(two, inOrbit, 'said meanwhile');
  await reply(two, inHome, 'still here');
  await arrives(home, inHome.root, 'still here');

  expect((await install(bridge, orbit, 'zoe')).status).toBe(200);
  await invite(orbit);
  await until(
    'the replies from meanwhile to be posted',
    async () => {
      await runCommand(['dead-letters', 'retry', 'all', ...OF_ORBIT], bridge.environment);
      const words = await wordsIn(orbit, inOrbit.root);
      return words.includes('kept in orbit') && words.includes('said meanwhile');
    },
    // A post rejected while the app was being removed is retried after half a minute.
    { seen: () => wordsIn(orbit, inOrbit.root) },
  );
  const posted = (await wordsIn(orbit, inOrbit.root)).filter((text) => /^(water|kept|said)/.test(text));
  expect(posted.toSorted()).toEqual(['kept in orbit', 'said meanwhile', 'water in orbit']);
  expect((await wordsIn(home, inHome.root)).filter((text) => text.includes('orbit'))).toEqual([]);
}

async function tokensAreEncrypted({ bridge }: Two): Promise<void> {
  const database = new pg.Client({ connectionString: bridge.environment['DATABASE_URL'] });
  await database.connect();
  const { rows } = await database.query('select * from installations.installation');
  await database.end();
  expect(rows).toHaveLength(2);
  expect(JSON.stringify(rows)).not.toContain('xoxb-');
}

async function commandsAskForTheWorkspace({ bridge }: Two): Promise<void> {
  const { out } = await runCommand(['dead-letters', 'list', ...OF_ORBIT], bridge.environment);
  expect(out).toContain('No dead letters.');
  const unnamed = await runCommand(['dead-letters', 'list'], bridge.environment);
  expect([unnamed.code, unnamed.err]).toEqual([1, expect.stringContaining('--workspace')]);
}
