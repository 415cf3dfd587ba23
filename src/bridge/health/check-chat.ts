// What `deskbridge doctor` and a running bridge check: Slack, the service, the waiting work. watch.ts notifies admins
// of changes.

import type { WebClient } from '@slack/web-api';
import { z } from 'zod';

import type { Clock } from '../../platform/clock.ts';
import { ChatError, isRejected, REFUSED_TOKEN } from '../slack/errors.ts';
import { isRequired } from '../slack/methods.ts';
import { type MissingMethod, saysMissing } from '../slack/missing-methods.ts';
import { type BotToken, createWebClient, type Within } from '../slack/client.ts';
import { ChatReader } from '../slack/reader.ts';
import { datedFetch, counted, type Finding, lasting, findings } from './finding.ts';

/** The bot's relation to a channel; `unknown`: Slack did not say. */
type Membership = 'member' | 'absent' | 'archived' | 'gone' | 'unknown';

interface ChatFacts {
  /**
   * The token's bot; or Slack's error; or that there was no response; or that what answers does not know the method.
   */
  token: { name: string; team: string } | Refusal;
  /** The token's scopes; undefined if Slack did not say. */
  scopes: readonly string[] | undefined;
  channels: ReadonlyMap<string, Membership>;
  /** Why the bot's channels could not be listed: a method and its answer; undefined if they were. */
  unlisted: string | undefined;
  /** Methods that Slack did not offer to the doctor just now. */
  missing: readonly MissingMethod[];
  /** Milliseconds that Slack's clock is ahead of ours. */
  skewMs: number | undefined;
}

export interface ChatAccess {
  botToken: BotToken;
  apiUrl: string | undefined;
  within?: Within | undefined;
}

const Tested = z.object({
  user: z.string().catch(''),
  team: z.string().catch(''),
  response_metadata: z
    .object({ scopes: z.array(z.string()).optional() })
    .optional()
    .catch(undefined),
});
const Channel = z.object({
  channel: z.object({ is_member: z.boolean().catch(false), is_archived: z.boolean().catch(false) }),
});

/** Reads the bot's identity and its relation to these channels from Slack. Never throws. */
export async function readChat(
  { botToken, apiUrl, within }: ChatAccess,
  channels: readonly string[],
  clock: Clock,
): Promise<ChatFacts> {
  let skewMs: number | undefined;
  const fetch = datedFetch(clock, (skew) => (skewMs = skew));
  const missing = new Map<string, string>();
  const news = {
    offered: () => undefined,
    notOffered: (method: string, answer: string) => void missing.set(method, answer),
  };
  const client = createWebClient(botToken, apiUrl, { fetch, within, news });
  const nothing = {
    scopes: undefined,
    channels: new Map<string, Membership>(),
    unlisted: undefined,
    missing: [],
  };
  const tested = await client.auth.test().catch(failed);
  if (tested instanceof ChatError) return { ...nothing, token: refusalOf(tested), skewMs };
  const { user, team, response_metadata: metadata } = Tested.parse(tested);
  const { standings, unlisted } = await membershipsOf(client, new Set(channels), clock);
  return {
    token: { name: user, team },
    scopes: metadata?.scopes,
    channels: standings,
    unlisted,
    missing: [...missing].map(([method, answer]) => ({ method, answer })),
    skewMs,
  };
}

/** Maximum number of channels checked separately: the rest of this method's rate limit is for the bridge. */
const ASKED_AT_MOST = 10;

/** One list of our channels covers almost all; only missing ones are checked separately. */
async function membershipsOf(
  client: WebClient,
  channels: ReadonlySet<string>,
  clock: Clock,
): Promise<{ standings: Map<string, Membership>; unlisted: string | undefined }> {
  const standings = new Map<string, Membership>([...channels].map((id) => [id, 'unknown']));
  let unlisted: string | undefined;
  if (channels.size === 0) return { standings, unlisted };
  try {
    for await (const { id } of new ChatReader(client, clock).memberChannels())
      if (channels.has(id)) standings.set(id, 'member');
  } catch (error) {
    unlisted = failed(error).message;
    // Without a list each is asked for itself.
    if (!isRejected(error)) return { standings, unlisted };
  }
  const others = [...channels].filter((id) => standings.get(id) !== 'member');
  for (const id of others.slice(0, ASKED_AT_MOST)) standings.set(id, await permissionsFor(client, id));
  return { standings, unlisted };
}

/** Returns whether Slack accepts this app token, or its error. Opens no connection. */
export async function tryAppToken(appToken: string, apiUrl: string | undefined): Promise<Refusal | 'taken'> {
  const client = createWebClient(appToken, apiUrl);
  const opened = await client.apps.connections.open().catch(failed);
  return opened instanceof ChatError ? refusalOf(opened) : 'taken';
}

async function permissionsFor(client: WebClient, channel: string): Promise<Membership> {
  const asked = await client.conversations.info({ channel }).catch(failed);
  if (asked instanceof ChatError) return asked.code === 'channel_not_found' ? 'gone' : 'unknown';
  const parsed = Channel.safeParse(asked);
  if (!parsed.success) return 'unknown';
  const { is_archived: archived, is_member: member } = parsed.data.channel;
  return archived ? 'archived' : member ? 'member' : 'absent';
}

/** For `catch`: a failed call is a finding. */
function failed(error: unknown): ChatError {
  if (error instanceof ChatError) return error;
  throw error;
}

/** Slack's error; or that there was no response; or how a server said that it does not know the method. */
type Refusal = { refused: string } | { unknown: string } | 'no answer';

function refusalOf({ code, notOffered }: ChatError): Refusal {
  if (notOffered !== undefined && notOffered !== 'missing_scope') return { unknown: notOffered };
  return code === undefined ? 'no answer' : { refused: code };
}

export interface WantedChannel {
  id: string;
  name: string | undefined;
}

export type SlackConnection =
  { by: 'socket'; state: 'connected' | 'taken' | 'not connected' | Refusal } | { by: 'http' };

interface ChatSituation {
  facts: ChatFacts;
  connection: SlackConnection;
  scopes: readonly string[];
  /** Undefined if the service does not say. */
  linked: readonly WantedChannel[] | undefined;
  adminChannel: string | undefined;
  /** The URL of a recent answer that was not sent because it is not Slack's. */
  refusedAnswer: string | undefined;
  /** Methods that Slack did not offer to the bridge lately. */
  missing: readonly MissingMethod[];
}

/** Returns all findings about Slack; checks that need a token are omitted without one. */
export function checkChat(situation: ChatSituation): Finding[] {
  const { facts, connection, scopes, linked, adminChannel, refusedAnswer, missing } = situation;
  const token = checkToken(facts);
  const reachability = checkConnection(connection);
  if (token.state !== 'ok') return [token, reachability];
  return [
    token,
    checkScopes(facts.scopes, scopes),
    checkMethods([...missing, ...facts.missing]),
    reachability,
    ...(refusedAnswer === undefined ? [] : [checkAnswers(refusedAnswer)]),
    ...(linked ? [checkLinked(linked, facts)] : []),
    ...(adminChannel === undefined ? [] : [checkAdminChannel(facts.channels.get(adminChannel))]),
    checkClock('chat.clock', 'Chat', facts.skewMs),
  ];
}

function checkToken({ token }: ChatFacts): Finding {
  const { ok, bad } = findings('chat.token');
  if (token === 'no answer')
    return bad(
      'Slack does not answer.',
      'Check that this machine reaches slack.com (or SLACK_API_URL), and look at status.slack.com. Work waits meanwhile.',
    );
  if ('unknown' in token)
    return bad(
      `What answers is not Slack: it does not know auth.test (${token.unknown}).`,
      'Check SLACK_API_URL: it ends where the names of methods begin, as https://slack.com/api/ does.',
    );
  if ('refused' in token)
    return REFUSED_TOKEN.has(token.refused)
      ? bad(
          `Slack refuses SLACK_BOT_TOKEN (${token.refused}).`,
          "Copy the Bot User OAuth Token from the app's page under OAuth & Permissions; reinstall the app if it was removed.",
        )
      : bad(
          `Slack rejects the app (${token.refused}).`,
          'It may be temporary; otherwise look at status.slack.com.',
        );
  return ok(`Slack knows the bot as @${token.name} in ${token.team}.`);
}

function checkScopes(granted: ChatFacts['scopes'], wanted: readonly string[]): Finding {
  const { ok, bad } = findings('chat.scopes');
  if (!granted) return ok('Slack does not say which scopes were granted.');
  const missing = wanted.filter((scope) => !granted.includes(scope));
  return missing.length === 0
    ? ok(`All ${wanted.length} scopes of the manifest are granted.`)
    : bad(
        `${counted(missing.length, 'scope')} of the manifest ${missing.length === 1 ? 'is' : 'are'} not granted: ${missing.join(', ')}.`,
        "Paste the output of `npx deskbridge manifest` into the app's page under App Manifest, then reinstall the app to the workspace.",
      );
}

function checkMethods(missing: readonly MissingMethod[]): Finding {
  const { ok, warn, bad } = findings('chat.methods');
  const each = [...new Map(missing.map((one) => [one.method, one])).values()];
  const say = each.some(({ method }) => isRequired(method)) ? bad : warn;
  return each.length === 0
    ? ok('Slack offers every method that was called.')
    : say(
        each.map(saysMissing).join(' '),
        'For `missing_scope` reinstall the app with the manifest’s scopes. Otherwise the server at SLACK_API_URL is not Slack’s, and has to learn them.',
      );
}

function checkConnection(connection: SlackConnection): Finding {
  const { ok, bad } = findings('chat.connection');
  if (connection.by === 'http')
    return ok('Slack is to send signed requests to PUBLIC_URL; only Slack itself can show that it does.');
  const { state } = connection;
  if (state === 'connected') return ok('The connection to Slack is open.');
  if (state === 'taken') return ok('Slack accepts SLACK_APP_TOKEN.');
  if (state === 'not connected')
    return bad(
      'The connection to Slack is down, so no events arrive.',
      'It reconnects automatically; the log (`chat.unreachable`) has Slack’s responses.',
    );
  if (state === 'no answer')
    return bad(
      'Slack does not answer when a connection is requested.',
      'Check that this machine reaches Slack.',
    );
  if ('unknown' in state)
    return bad(
      `Slack does not know apps.connections.open (${state.unknown}), so no events arrive.`,
      'A server without Socket Mode can send its events by HTTP: set SLACK_SIGNING_SECRET instead of SLACK_APP_TOKEN. Or check SLACK_API_URL.',
    );
  return bad(
    `Slack gives no connection for SLACK_APP_TOKEN (${state.refused}).`,
    'Make a token with the scope connections:write under Basic Information → App-Level Tokens, and switch Socket Mode on.',
  );
}

function checkAnswers(refused: string): Finding {
  const { warn } = findings('chat.answers');
  return warn(
    `In the last day an answer to a command or a button was to go to ${refused}. It was not sent: that is not Slack’s address.`,
    'If your Slack is reached at that address, set SLACK_API_URL to it. If not, a third party can send commands: check SLACK_SIGNING_SECRET.',
  );
}

const channelName = ({ id, name }: WantedChannel) => (name ? `#${name.replace(/^#/, '')}` : id);

function checkLinked(
  linked: readonly WantedChannel[],
  { channels: standings, unlisted }: Pick<ChatFacts, 'channels' | 'unlisted'>,
): Finding {
  const { ok, warn, bad } = findings('chat.channels');
  const that = (...states: Membership[]) =>
    linked.filter((channel) => states.includes(standings.get(channel.id) ?? 'unknown'));
  const deaf = that('absent', 'gone');
  if (deaf.length > 0)
    return bad(
      `The bot is not in ${counted(deaf.length, 'channel')} linked to a queue: ${deaf.map(channelName).join(', ')}. Requests there are not received.`,
      'Type `/invite @deskbridge` (the name of your app) there, or unlink the channel. The bot cannot see a private channel before that.',
    );
  const archived = that('archived');
  if (archived.length > 0)
    return warn(
      `${counted(archived.length, 'channel')} linked to a queue ${archived.length === 1 ? 'is' : 'are'} archived: ${archived.map(channelName).join(', ')}.`,
      'Unarchive it in Slack, or link another channel to its queue.',
    );
  const unknown = that('unknown');
  if (unknown.length > 0)
    return warn(
      `Slack does not show ${counted(unknown.length, 'channel')} linked to a queue: ${unknown.map(channelName).join(', ')}${unlisted === undefined ? '' : ` (${unlisted})`}.`,
      'Look at the scopes (channels:read, groups:read) and at chat.methods, and again later.',
    );
  if (linked.length === 0)
    return {
      ...ok('No channel is linked to a queue; tickets go to the default queue.'),
      fix: 'In a channel, `/invite @deskbridge` (the name of your app); its command (`/ticket` unless you named it otherwise) with `link HELP` then makes it the channel of the queue HELP.',
    };
  return ok(
    `The bot is in ${linked.length === 1 ? 'the channel' : `all ${linked.length} channels`} linked to queues.`,
  );
}

function checkAdminChannel(membership: Membership | undefined): Finding {
  const { ok, warn } = findings('chat.admin-channel');
  if (membership === 'member') return ok('The bot is in ADMIN_CHANNEL.');
  return warn(
    membership === 'archived' ? 'ADMIN_CHANNEL is archived.' : 'The bot is not in ADMIN_CHANNEL.',
    'Invite it there, or set another channel’s id.',
  );
}

/** Signed requests are rejected when the clocks differ by five minutes; the warning comes long before. */
const SKEW_WARN_MS = 30_000;
const SKEW_BAD_MS = 240_000;

export function checkClock(id: string, whose: string, skewMs: number | undefined): Finding {
  const { ok, warn, bad } = findings(id);
  if (skewMs === undefined) return ok(`${whose} does not say what time it is.`);
  const off = Math.abs(skewMs);
  const says = `${whose}’s clock is ${lasting(off)} ${skewMs < 0 ? 'behind' : 'ahead of'} this machine’s.`;
  if (off < SKEW_WARN_MS) return ok(`${whose}’s clock and this machine’s agree.`);
  const fix =
    'Let this machine keep its time by NTP; at five minutes every signed request is refused on arrival.';
  return off < SKEW_BAD_MS ? warn(says, fix) : bad(says, fix);
}
