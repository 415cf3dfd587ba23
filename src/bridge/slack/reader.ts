import { type FetchFunction, WebClient } from '@slack/web-api';
import { z } from 'zod';

import { BoundedMap } from '../../platform/bounded-map.ts';
import type { Clock } from '../../platform/clock.ts';
import { chatErrorOf, ChatError } from './errors.ts';
import { FileInfo } from './file.ts';
import { LIMITS } from './limits.ts';
import { OrganisationClient, type Within } from './organisation-client.ts';
import { type ChatProfile, type Home, profileOf, RawUser } from './profile.ts';

/** A bot's token; a function where it changes from time to time, asked for each call. */
export type BotToken = string | (() => Promise<string>);

/** A client of the Web API that never repeats a call by itself: what is sent twice, and when, is decided by the outbox. */
export function createWebClient(
  token: BotToken,
  apiUrl: string | undefined,
  { fetch = globalThis.fetch, within }: { fetch?: FetchFunction; within?: Within | undefined } = {},
): WebClient {
  const given = typeof token === 'string' ? token : undefined;
  const options = {
    fetch: typeof token === 'string' ? fetch : bearing(token, apiUrl ?? SLACK_API, fetch),
    ...(apiUrl ? { slackApiUrl: apiUrl } : {}),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: LIMITS.callTimeoutMs,
  };
  return within ? new OrganisationClient(given, options, within) : new WebClient(given, options);
}

const SLACK_API = 'https://slack.com/api/';

/** Calls of the Web API bear the token that holds now; no other address is told it. */
function bearing(token: () => Promise<string>, apiUrl: string, fetch: FetchFunction): FetchFunction {
  return async (url, init) => {
    if (!String(url).startsWith(apiUrl)) return fetch(url, init);
    return fetch(url, { ...init, headers: { ...init?.headers, Authorization: `Bearer ${await token()}` } });
  };
}

/** Who the bridge is in the chat workspace. */
export interface BotIdentity {
  team: string;
  userId: string;
  botId: string;
  /** What people see after the @. */
  name: string;
  /** The organisation that the workspace belongs to; absent outside Enterprise Grid. */
  enterprise?: string | undefined;
  /** Where the workspace is found; absent where chat did not say. */
  url?: string | undefined;
}

const RawChannel = z.object({
  id: z.string(),
  is_im: z.boolean().catch(false),
  is_mpim: z.boolean().catch(false),
});

/** `created` in Unix seconds. */
const NamedChannel = z.object({
  id: z.string(),
  name: z.string(),
  creator: z.string(),
  created: z.number(),
});

const OwnChannel = z.object({ is_private: z.boolean(), creator: z.string() });

const ChannelFacts = z.object({
  name: z.string().optional(),
  is_private: z.boolean().catch(false),
  is_member: z.boolean().catch(false),
});

export interface MemberChannel {
  id: string;
  /** A direct conversation, of two or of several. */
  direct: boolean;
}

/** Awaited before each call of a long read: it keeps the reader's pace. */
export type BeforeCall = () => Promise<void>;
const ready: BeforeCall = async () => undefined;

const KEEP_MS = 5 * 60_000;
const KEEP_ENTRIES = 5_000;
/** Members are asked about at every press; whoever joins is of the team within a minute. */
const KEEP_MEMBERS_MS = 60_000;
const KEEP_MEMBER_LISTS = 200;

/** Reads of chat. Names are kept for five minutes, members for one; messages never are. Throws ChatError. */
export class ChatReader {
  readonly #client: WebClient;
  readonly #clock: Clock;
  readonly #channelNames = new BoundedMap<string, { name: string; readAt: number }>(KEEP_ENTRIES);
  readonly #direct = new BoundedMap<string, boolean>(KEEP_ENTRIES);
  /** Reads of people that are on their way. */
  readonly #profiles = new Map<string, Promise<ChatProfile>>();
  readonly #directs = new BoundedMap<string, string>(KEEP_ENTRIES);
  readonly #private = new BoundedMap<string, { isPrivate: boolean; readAt: number }>(KEEP_ENTRIES);
  readonly #members = new BoundedMap<string, { members: readonly string[]; readAt: number }>(
    KEEP_MEMBER_LISTS,
  );

  constructor(client: WebClient, clock: Clock) {
    this.#client = client;
    this.#clock = clock;
  }

  /** Who this app is in the workspace of its token. */
  async identity(): Promise<BotIdentity> {
    const answer = z
      .object({
        team_id: z.string(),
        user_id: z.string(),
        bot_id: z.string(),
        user: z.string(),
        enterprise_id: z.string().optional().catch(undefined),
        url: z.url().optional().catch(undefined),
      })
      .parse(await this.#call('auth.test', () => this.#client.auth.test()));
    const {
      team_id: team,
      user_id: userId,
      bot_id: botId,
      user: name,
      enterprise_id: enterprise,
      url,
    } = answer;
    return { team, userId, botId, name, enterprise, url };
  }

  /** Who somebody is, of a workspace of `home`; who is asked about at the same moment is asked about once. */
  async profile(user: string, home: Home): Promise<ChatProfile> {
    const asked = this.#profiles.get(user);
    if (asked) return asked;
    const asking = this.#call('users.info', () => this.#client.users.info({ user }))
      .then((answer) => profileOf(z.object({ user: RawUser }).parse(answer).user, home))
      .finally(() => this.#profiles.delete(user));
    this.#profiles.set(user, asking);
    return asking;
  }

  async channelName(channel: string): Promise<string | undefined> {
    const now = this.#clock.now().getTime();
    const kept = this.#channelNames.get(channel);
    if (kept && now - kept.readAt < KEEP_MS) return kept.name;
    const answer = z
      .object({ channel: z.object({ name: z.string().optional() }) })
      .parse(await this.#call('conversations.info', () => this.#client.conversations.info({ channel })));
    const { name } = answer.channel;
    if (name === undefined) return undefined;
    this.#channelNames.set(channel, { name, readAt: now });
    return name;
  }

  /** The name of a channel, whether it is a private one, and whether this app is in it, as it is now. */
  async channel(id: string): Promise<{ name: string | undefined; isPrivate: boolean; isMember: boolean }> {
    const answer = await this.#call('conversations.info', () =>
      this.#client.conversations.info({ channel: id }),
    );
    const { name, ...is } = z.object({ channel: ChannelFacts }).parse(answer).channel;
    return { name, isPrivate: is.is_private, isMember: is.is_member };
  }

  /** Whether a channel is a direct conversation, of two or of several: `app_mention` does not tell. */
  async isDirect(channel: string): Promise<boolean> {
    if (channel.startsWith('D')) return true;
    const known = this.#direct.get(channel);
    if (known !== undefined) return known;
    const answer = z
      .object({ channel: z.object({ is_im: z.boolean().catch(false), is_mpim: z.boolean().catch(false) }) })
      .parse(await this.#call('conversations.info', () => this.#client.conversations.info({ channel })));
    const direct = answer.channel.is_im || answer.channel.is_mpim;
    this.#direct.set(channel, direct);
    return direct;
  }

  /** The members of a channel, kept for a minute. */
  async members(channel: string): Promise<readonly string[]> {
    const now = this.#clock.now().getTime();
    const kept = this.#members.get(channel);
    if (kept && now - kept.readAt < KEEP_MEMBERS_MS) return kept.members;
    const members: string[] = [];
    for await (const member of this.#pages('conversations.members', ready, async (cursor) => {
      const answer = await this.#client.conversations.members({
        channel,
        limit: LIMITS.membersPage,
        ...cursor,
      });
      return { items: answer.members, next: answer.response_metadata?.next_cursor };
    }))
      if (typeof member === 'string') members.push(member);
    this.#members.set(channel, { members, readAt: now });
    return members;
  }

  /** Goes into a public channel; being in it already is what was wanted. */
  async join(channel: string): Promise<void> {
    await this.#call('conversations.join', () => this.#client.conversations.join({ channel }));
  }

  /** Whether only its members can read a channel; false for one that this app cannot look into. Kept for a minute. */
  async isPrivate(channel: string): Promise<boolean> {
    const now = this.#clock.now().getTime();
    const kept = this.#private.get(channel);
    if (kept && now - kept.readAt < KEEP_MEMBERS_MS) return kept.isPrivate;
    const answer = await this.#call('conversations.info', () =>
      this.#client.conversations.info({ channel }),
    ).catch((error: unknown) => {
      if (error instanceof ChatError && error.next === 'give-up') return { channel: {} };
      throw error;
    });
    const parsed = z.object({ channel: z.object({ is_private: z.boolean().catch(false) }) }).parse(answer);
    const isPrivate = parsed.channel.is_private;
    this.#private.set(channel, { isPrivate, readAt: now });
    return isPrivate;
  }

  /** The direct conversation with a person, opened when there is none yet; it stays the same. */
  async directChannel(user: string): Promise<string> {
    const known = this.#directs.get(user);
    if (known !== undefined) return known;
    const answer = z
      .object({ channel: z.object({ id: z.string() }) })
      .parse(await this.#call('conversations.open', () => this.#client.conversations.open({ users: user })));
    this.#directs.set(user, answer.channel.id);
    return answer.channel.id;
  }

  /** The channels and direct conversations that this app is a member of; archived ones are not among them. */
  async *memberChannels(before: BeforeCall = ready): AsyncGenerator<MemberChannel> {
    for await (const channel of this.#pages('users.conversations', before, async (cursor) => {
      const answer = await this.#client.users.conversations({
        types: 'public_channel,private_channel,im,mpim',
        exclude_archived: true,
        limit: LIMITS.repliesPage,
        ...cursor,
      });
      return { items: answer.channels, next: answer.response_metadata?.next_cursor };
    })) {
      const parsed = RawChannel.safeParse(channel);
      if (parsed.success) yield { id: parsed.data.id, direct: parsed.data.is_im || parsed.data.is_mpim };
    }
  }

  /**
   * A file and where it is shown; undefined where it is gone or this app may not see it, also for want of the scope: a
   * file is not worth a lane that waits for somebody to grant it.
   */
  async file(id: string): Promise<FileInfo | undefined> {
    try {
      const answer = await this.#call('files.info', () => this.#client.files.info({ file: id }));
      return z.object({ file: FileInfo }).parse(answer).file;
    } catch (error) {
      if (error instanceof ChatError && (error.next === 'give-up' || error.code === 'missing_scope'))
        return undefined;
      throw error;
    }
  }

  /** The private channels that the bot itself has made since then, archived ones too: ids by name. */
  async ownChannels(bot: string, since: Date): Promise<ReadonlyMap<string, string>> {
    const own = new Map<string, string>();
    for await (const raw of this.#pages('users.conversations', ready, async (cursor) => {
      const answer = await this.#client.users.conversations({
        types: 'private_channel',
        limit: LIMITS.repliesPage,
        ...cursor,
      });
      return { items: answer.channels, next: answer.response_metadata?.next_cursor };
    })) {
      const { data: channel } = NamedChannel.safeParse(raw);
      if (channel?.creator === bot && channel.created * 1000 >= since.getTime())
        own.set(channel.name, channel.id);
    }
    return own;
  }

  /** Whether the bot itself has made this private channel. */
  async isOwnChannel(channel: string, bot: string): Promise<boolean> {
    const answer = await this.#call('conversations.info', () => this.#client.conversations.info({ channel }));
    const { data } = z.object({ channel: OwnChannel }).safeParse(answer);
    return data?.channel.is_private === true && data.channel.creator === bot;
  }

  /** The messages of a thread, oldest first, its root included; empty when the root is gone. */
  async *thread(
    channel: string,
    ts: string,
    options: { oldest?: string; latest?: string; metadata?: boolean; before?: BeforeCall } = {},
  ): AsyncGenerator {
    const { oldest, latest, metadata, before = ready } = options;
    try {
      yield* this.#pages('conversations.replies', before, async (cursor) => {
        const answer = await this.#client.conversations.replies({
          channel,
          ts,
          limit: LIMITS.repliesPage,
          ...(oldest ? { oldest } : {}),
          ...(latest ? { latest, inclusive: true } : {}),
          ...(metadata ? { include_all_metadata: true } : {}),
          ...cursor,
        });
        return { items: answer.messages, next: answer.response_metadata?.next_cursor };
      });
    } catch (error) {
      if (!(error instanceof ChatError && error.code === 'thread_not_found')) throw error;
    }
  }

  /** The messages of a channel from `oldest` on, newest first, with their metadata; replies are not among them. */
  async *history(
    channel: string,
    oldest: string,
    options: { latest?: string; before?: BeforeCall } = {},
  ): AsyncGenerator {
    yield* this.#pages('conversations.history', options.before ?? ready, async (cursor) => {
      const answer = await this.#client.conversations.history({
        channel,
        oldest,
        limit: LIMITS.repliesPage,
        include_all_metadata: true,
        ...(options.latest ? { latest: options.latest, inclusive: true } : {}),
        ...cursor,
      });
      return { items: answer.messages, next: answer.response_metadata?.next_cursor };
    });
  }

  async *#pages(
    method: string,
    before: BeforeCall,
    read: (cursor: { cursor?: string }) => Promise<{ items: unknown; next: string | undefined }>,
  ): AsyncGenerator {
    let cursor: string | undefined;
    for (let page = 0; page < LIMITS.pagesAtMost; page++) {
      await before();
      const { items, next } = await this.#call(method, () => read(cursor ? { cursor } : {}));
      yield* z.array(z.unknown()).catch([]).parse(items);
      if (!next || next === cursor) return;
      cursor = next;
    }
  }

  async #call<Answer>(method: string, call: () => Promise<Answer>): Promise<Answer> {
    try {
      return await call();
    } catch (error) {
      throw chatErrorOf(method, error);
    }
  }
}
