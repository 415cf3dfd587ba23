import { DEMO } from '../../src/start/demo.ts';
import { installKeyOf } from '../../src/start/secrets.ts';
import type { Chat } from '../harness/chat.ts';
import { ticketAt } from '../harness/ticket.ts';
import { until } from '../harness/until.ts';
import type { LocalWorld, ProcessWorld, World } from '../harness/world.ts';

export const CHANNEL = 'it-help';

/** The settings of a bridge that chat workspaces install. */
export const KEYS = {
  SERVICE_WEBHOOK_SECRET: 'a-webhook-secret-of-the-workspaces-test',
  SLACK_CLIENT_ID: DEMO.app.id,
  SLACK_CLIENT_SECRET: `client-secret-of-${DEMO.app.id}`,
  SLACK_STATE_SECRET: 'a-state-secret-of-the-workspaces-test',
  TOKEN_ENCRYPTION_KEY: Buffer.alloc(32, 7).toString('base64'),
  SLACK_APP_TOKEN: DEMO.app.appToken,
};

/**
 * The service (`base`) with a sandbox, its own workspace (`home`) and the workspace Orbit; `settings` are
 * those of a bridge that both can install.
 * @param start where they all run: in this process or in others.
 */
export async function startTwoWorkspaces<Kind extends LocalWorld | ProcessWorld>(
  start: (environment: Record<string, string>, args: ['service', '--demo']) => Promise<Kind>,
) {
  const base = await start({ ALLOW_PRIVATE_WEBHOOKS: 'true' }, ['service', '--demo']);
  const sandbox = await base.startAlongside(['sandbox']);
  const home = sandbox.chat;
  const settings = {
    ...KEYS,
    SLACK_API_URL: `${sandbox.urls.sandbox}/api`,
    // A workspace's missed events are found when it comes back, not every 3 s per channel or thread.
    RECONCILE_EVERY_SECONDS: '3600',
    CHAT_READS_PER_MINUTE: '6000',
  };
  return { base, service: base.service, sandbox, home, orbit: await addOrbit(home), settings };
}

/** Creates the workspace Orbit, with one person and one channel. */
async function addOrbit(chat: Chat): Promise<Chat> {
  await chat.post('add-workspace', {
    name: 'Orbit',
    domain: 'orbit',
    people: [{ name: 'zoe', email: 'zoe@orbit.example' }],
    channels: [{ name: CHANNEL }],
  });
  return chat.inWorkspace('orbit');
}

/** Adds the bot to the channel; resolves to its user id. */
export async function invite(chat: Chat): Promise<string> {
  const { bot } = await chat.state();
  await chat.post('join', { channel: CHANNEL, user: bot });
  return bot;
}

/** The install link of `deskbridge workspaces`: anyone who has it may install the app. */
export const installLink = ({ urls }: Pick<World, 'urls'>): string =>
  `${urls.root}/slack/install?key=${installKeyOf(KEYS.SLACK_STATE_SECRET)}`;

/** Installs the app like an owner in a browser: follows the link, presses Allow, and comes back. */
export async function install(
  bridge: World,
  chat: Chat,
  user: string,
  { otherBrowser = false, forOrganisation = false } = {},
): Promise<{ status: number; page: string }> {
  const begun = await fetch(installLink(bridge), { redirect: 'manual' });
  const { redirect } = await chat.post<{ redirect: string }>('allow', {
    url: begun.headers.get('location'),
    user,
    forOrganisation,
  });
  const cookie = begun.headers
    .getSetCookie()
    .map((one) => one.split(';')[0])
    .join('; ');
  const done = await fetch(redirect, { headers: otherBrowser ? {} : { cookie } });
  return { status: done.status, page: await done.text() };
}

/** Waits until a workspace is served, or (`workspace.let_go`) no longer; resolves to its id. */
export async function served(
  { log }: World,
  name: string,
  event: 'workspace.served' | 'workspace.let_go' = 'workspace.served',
): Promise<string> {
  const line = await until(`${event} of ${name}`, async () =>
    log.findLast((one) => one.event === event && (one.team === name || one.name === name)),
  );
  return String(line.team);
}

/** Opens a ticket by a mention of the bot. */
export async function ask({ service }: Pick<World, 'service'>, chat: Chat, user: string, words: string) {
  const bot = await invite(chat);
  const { channel, ts } = await chat.say(CHANNEL, user, `<@${bot}> ${words}`);
  return { channel, root: ts, ticket: await ticketAt(service, ts) };
}

export const wordsIn = async (chat: Chat, root: string, channel = CHANNEL): Promise<string[]> =>
  (await chat.thread(channel, root)).map(({ text }) => text);

export async function arrives(chat: Chat, root: string, words: string, channel = CHANNEL): Promise<void> {
  await until(`“${words}” in its thread`, async () => (await wordsIn(chat, root, channel)).includes(words), {
    seen: () => wordsIn(chat, root, channel),
  });
}
