import { type FetchFunction, WebClient } from '@slack/web-api';
import { z } from 'zod';

import { Cache } from '../../platform/cache.ts';
import type { Clock } from '../../platform/clock.ts';
import { chatErrorOf, ChatError } from './errors.ts';
import { FileInfo } from './file.ts';
import { LIMITS } from './limits.ts';
import { OrganisationClient, type Within } from './client.ts';
import { type ChatProfile, type Home, profileOf, RawUser } from './profile.ts';

/** A bot token; a function if it rotates, called for each request. */
export type BotToken = string | (() => Promise<string>);

/** A Web API client without retries: the outbox decides what is sent again, and when. */
export function createWebClient(
  token: BotToken,
  apiUrl: string | undefined,
  { fetch = globalThis.fetch, within }: { fetch?: FetchFunction; within?: Within | undefined } = {},
): WebClient {
  const given = typeof token === 'string' ? token : undefined;
  const options = {
    fetch: typeof token === 'string' ? fetch : withToken(token, apiUrl ?? SLACK_API, fetch),
    ...(apiUrl ? { slackApiUrl: apiUrl } : {}),
    retryConfig: { retries: 0 },
    rejectRateLimitedCalls: true,
    timeout: LIMITS.callTimeoutMs,
  };
  return within ? new OrganisationClient(given, options, within) : new WebClient(given, options);
}

const SLACK_API = 'https://slack.com/api/';

/** Adds the current token to Web API calls; no other URL gets it. */
function withToken(token: () => Promise<string>, apiUrl: string, fetch: FetchFunction): FetchFunction {
  return async (url, init) => {
    if (!String(url).startsWith(apiUrl)) return fetch(url, init);
    return fetch(url, { ...init, headers: { ...init?.headers, Authorization: `Bearer ${await token()}` } });
  };
}

/** The bot's identity in the Slack workspace. */
export interface BotIdentity {
  team: string;
  userId: string;
  botId: string;
  /** Its name after the @. */
  name: string;
  /** The workspace's organisation; absent outside Enterprise Grid. */
  enterprise?: string | undefined;
  /** The workspace's URL; absent if Slack did not say. */
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

const yes = z.boolean().catch(false);
const AccessFacts = z.object({ is_private: yes, is_im: yes, is_mpim: yes });
type ChannelAccess = 'public' | 'private' | 'unknown';

export interface MemberChannel {
  id: string;
  /** A direct message, of two or of several. */
  direct: boolean;
}

/** Awaited before each call of a long read, to respect the rate limit. */
type BeforeCall = () => Promise<void>;
const ready: BeforeCall = async () => undefined;

const KEEP_MS = 5 * 60_000;
const KEEP_ENTRIES = 5_000;
/** Members are checked at every button press; new ones count within a minute. */
const KEEP_MEMBERS_MS = 60_000;
const KEEP_MEMBER_LISTS = 200;

/** Reads from Slack. Names are cached for five minutes, members for one; messages never are. Throws ChatError. */
export class ChatReader {
  readonly #client: WebClient;
  readonly #channelNames: Cache<string | undefined>;
  readonly #direct = new Cache<boolean>(KEEP_ENTRIES);
  /** Reads of people that are on their way. */
  readonly #profiles = new Map<string, Promise<ChatProfile>>();
  readonly #directs = new Cache<string>(KEEP_ENTRIES);
  readonly #access: Cache<ChannelAccess>;
  readonly #members: Cache<readonly string[]>;

  constructor(client: WebClient, clock: Clock) {
    this.#client = client;
    this.#channelNames = new Cache(KEEP_ENTRIES, { clock, ms: KEEP_MS });
    this.#access = new Cache(KEEP_ENTRIES, { clock, ms: KEEP_MEMBERS_MS });
    this.#members = new Cache(KEEP_MEMBER_LISTS, { clock, ms: KEEP_MEMBERS_MS });
  }

  /** Returns the bot's identity in the workspace of its token. */
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

  /** Returns a user's profile, as seen from `home`; concurrent requests share one call. */
  async profile(user: string, home: Home): Promise<ChatProfile> {
    const asked = this.#profiles.get(user);
    if (asked) return asked;
    const asking = this.#call('users.info', () => this.#client.users.info({ user }))
      .then((answer) => profileOf(z.object({ user: RawUser }).parse(answer).user, home))
      .finally(() => this.#profiles.delete(user));
    this.#profiles.set(user, asking);
    return asking;
  }

  channelName(channel: string): Promise<string | undefined> {
    return this.#channelNames.get(channel, async () => {
      const answer = await this.#call('conversations.info', () =>
        this.#client.conversations.info({ channel }),
      );
      return z.object({ channel: z.object({ name: z.string().optional() }) }).parse(answer).channel.name;
    });
  }

  /** Returns a channel's current name, whether it is private, and whether the bot is a member. */
  async channel(id: string): Promise<{ name: string | undefined; isPrivate: boolean; isMember: boolean }> {
    const answer = await this.#call('conversations.info', () =>
      this.#client.conversations.info({ channel: id }),
    );
    const { name, ...is } = z.object({ channel: ChannelFacts }).parse(answer).channel;
    return { name, isPrivate: is.is_private, isMember: is.is_member };
  }

  /** Returns whether a channel is a direct message, of two or of several: `app_mention` does not say. */
  async isDirect(channel: string): Promise<boolean> {
    if (channel.startsWith('D')) return true;
    return this.#direct.get(channel, async () => {
      const answer = z
        .object({ channel: z.object({ is_im: z.boolean().catch(false), is_mpim: z.boolean().catch(false) }) })
        .parse(await this.#call('conversations.info', () => this.#client.conversations.info({ channel })));
      return answer.channel.is_im || answer.channel.is_mpim;
    });
  }

  /** Returns the members of a channel, cached for a minute. */
  members(channel: string): Promise<readonly string[]> {
    return this.#members.get(channel, () => this.#readMembers(channel));
  }

  async #readMembers(channel: string): Promise<readonly string[]> {
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
    return members;
  }

  /** Joins a public channel; succeeds if already a member. */
  async join(channel: string): Promise<void> {
    await this.#call('conversations.join', () => this.#client.conversations.join({ channel }));
  }

  /** Returns whether only its members can read a channel; false if it is not visible to us. Cached for a minute. */
  async isPrivate(channel: string): Promise<boolean> {
    return (await this.#accessTo(channel)) === 'private';
  }

  /** Returns whether every full member of the workspace can read a channel; false if it is not visible to us. */
  async isPublic(channel: string): Promise<boolean> {
    return (await this.#accessTo(channel)) === 'public';
  }

  #accessTo(channel: string): Promise<ChannelAccess> {
    return this.#access.get(channel, () => this.#readAccess(channel));
  }

  async #readAccess(channel: string): Promise<ChannelAccess> {
    const answer = await this.#call('conversations.info', () =>
      this.#client.conversations.info({ channel }),
    ).catch((error: unknown) => {
      if (error instanceof ChatError && error.next === 'give-up') return {};
      throw error;
    });
    const { channel: facts } = z.object({ channel: AccessFacts.optional() }).parse(answer);
    if (facts?.is_private) return 'private';
    return facts && !facts.is_im && !facts.is_mpim ? 'public' : 'unknown';
  }

  /** Returns the direct message channel with a user, opened if needed; it never changes. */
  directChannel(user: string): Promise<string> {
    return this.#directs.get(user, async () => {
      const answer = await this.#call('conversations.open', () =>
        this.#client.conversations.open({ users: user }),
      );
      return z.object({ channel: z.object({ id: z.string() }) }).parse(answer).channel.id;
    });
  }

  /** Returns the channels and direct messages that the bot is a member of, without archived ones. */
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
   * Returns a file and where it is shown; undefined if it is gone or not visible to us, also for a missing scope: a
   * file is not worth blocking a job.
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

  /** Returns the private channels that the bot has created since then, including archived ones: ids by name. */
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

  /** Returns whether the bot created this private channel. */
  async isOwnChannel(channel: string, bot: string): Promise<boolean> {
    const answer = await this.#call('conversations.info', () => this.#client.conversations.info({ channel }));
    const { data } = z.object({ channel: OwnChannel }).safeParse(answer);
    return data?.channel.is_private === true && data.channel.creator === bot;
  }

  /** Returns the messages of a thread, oldest first, including the parent; empty if the parent is gone. */
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

  /** Returns the messages of a channel from `oldest` on, newest first, with their metadata, without replies. */
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
