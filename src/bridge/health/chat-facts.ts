import type { WebClient } from '@slack/web-api';
import { z } from 'zod';

import type { Clock } from '../../platform/clock.ts';
import { ChatError, chatErrorOf } from '../slack/errors.ts';
import type { Within } from '../slack/organisation-client.ts';
import { type BotToken, ChatReader, createWebClient } from '../slack/reader.ts';
import { datedFetch } from './skew.ts';

/** The bot's relation to a channel; `unknown`: Slack did not say. */
export type Standing = 'member' | 'absent' | 'archived' | 'gone' | 'unknown';

/** Slack's information about the bot. */
export interface ChatFacts {
  /** The token's bot; or Slack's error; or that there was no response. */
  token: { name: string; team: string } | { refused: string } | 'no answer';
  /** The token's scopes; undefined if Slack did not say. */
  scopes: readonly string[] | undefined;
  /** By channel id. */
  channels: ReadonlyMap<string, Standing>;
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
  const client = createWebClient(botToken, apiUrl, { fetch, within });
  const nothing = { scopes: undefined, channels: new Map<string, Standing>() };
  const tested = await attempt('auth.test', () => client.auth.test());
  if ('trouble' in tested) {
    const { code } = tested.trouble;
    return { ...nothing, token: code === undefined ? 'no answer' : { refused: code }, skewMs };
  }
  const { user, team, response_metadata: metadata } = Tested.parse(tested.answer);
  const standings = await standingsOf(client, new Set(channels), clock);
  return { token: { name: user, team }, scopes: metadata?.scopes, channels: standings, skewMs };
}

/** Maximum number of channels checked separately: the rest of this method's rate limit is for the bridge. */
const ASKED_AT_MOST = 10;

/** One list of our channels covers almost all; only missing ones are checked separately. */
async function standingsOf(
  client: WebClient,
  channels: ReadonlySet<string>,
  clock: Clock,
): Promise<Map<string, Standing>> {
  const standings = new Map<string, Standing>([...channels].map((id) => [id, 'unknown']));
  if (channels.size === 0) return standings;
  const listed = await attempt('users.conversations', async () => {
    for await (const { id } of new ChatReader(client, clock).memberChannels())
      if (channels.has(id)) standings.set(id, 'member');
  });
  if ('trouble' in listed) return standings;
  const others = [...channels].filter((id) => standings.get(id) !== 'member');
  for (const id of others.slice(0, ASKED_AT_MOST)) standings.set(id, await standingOf(client, id));
  return standings;
}

/** Returns whether Slack accepts this app token, or its error. Opens no connection. */
export async function tryAppToken(
  appToken: string,
  apiUrl: string | undefined,
): Promise<{ refused: string } | 'taken' | 'no answer'> {
  const client = createWebClient(appToken, apiUrl);
  const opened = await attempt('apps.connections.open', () => client.apps.connections.open());
  if (!('trouble' in opened)) return 'taken';
  const { code } = opened.trouble;
  return code === undefined ? 'no answer' : { refused: code };
}

async function standingOf(client: WebClient, channel: string): Promise<Standing> {
  const asked = await attempt('conversations.info', () => client.conversations.info({ channel }));
  if ('trouble' in asked) return asked.trouble.code === 'channel_not_found' ? 'gone' : 'unknown';
  const parsed = Channel.safeParse(asked.answer);
  if (!parsed.success) return 'unknown';
  const { is_archived: archived, is_member: member } = parsed.data.channel;
  return archived ? 'archived' : member ? 'member' : 'absent';
}

async function attempt(
  method: string,
  call: () => Promise<unknown>,
): Promise<{ answer: unknown } | { trouble: ChatError }> {
  try {
    return { answer: await call() };
  } catch (error) {
    const trouble = chatErrorOf(method, error);
    if (trouble instanceof ChatError) return { trouble };
    throw trouble;
  }
}
