import type { WebAPICallResult, WebClient } from '@slack/web-api';
import { z } from 'zod';

import { Cache } from '../../platform/cache.ts';
import type { Clock } from '../../platform/clock.ts';
import { ChatError, ifRejected, isRejected, UnreadableAnswer } from './errors.ts';
import { FileInfo } from './file.ts';
import { isDirectOfTwo, isOfSlack } from './ids.ts';
import { LIMITS } from './limits.ts';
import { type ChatProfile, type Home, profileOf, RawUser } from './profile.ts';

export interface BotIdentity {
  team: string;
  userId: string;
  botId: string;
  /** Its name after the @. */
  name: string;
  /** The workspace's organisation; absent outside Enterprise Grid. */
  enterprise?: string | undefined;
  /** The name of the workspace; absent if Slack did not return it. */
  teamName?: string | undefined;
  /** The workspace's URL; absent if Slack did not say. */
  url?: string | undefined;
}

const Identity = z.object({
  team_id: z.string(),
  team: z.string().optional().catch(undefined),
  user_id: z.string(),
  bot_id: z.string(),
  user: z.string(),
  enterprise_id: z.string().optional().catch(undefined),
  url: z.url().optional().catch(undefined),
});

const yes = z.boolean().catch(false);
const ListedChannel = z.object({ id: z.string(), is_im: yes, is_mpim: yes });
const SeenChannel = z.object({ id: z.string(), name: z.string(), is_private: yes });

/** `created` in Unix seconds. */
const NamedChannel = z.object({
  id: z.string(),
  name: z.string(),
  creator: z.string(),
  created: z.number(),
});

const ChannelInfo = z.object({
  channel: z.object({
    name: z.string().optional(),
    creator: z.string().optional().catch(undefined),
    is_private: yes,
    is_member: yes,
    is_im: yes,
    is_mpim: yes,
  }),
});
type ChannelAccess = 'public' | 'private' | 'unknown';

/** A channel by name: a public one, or a private one that the bot is a member of. */
export interface VisibleChannel {
  id: string;
  name: string;
  isPrivate: boolean;
}

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

const GroupList = z.object({
  usergroups: z.array(z.object({ id: z.string(), handle: z.string() })).catch([]),
});

function ifUnreadable(error: unknown): undefined {
  if (isRejected(error)) return undefined;
  throw error;
}

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
  readonly #visible: Cache<readonly VisibleChannel[]>;
  readonly #people: Cache<readonly ChatProfile[]>;
  readonly #groupHandles: Cache<string | undefined>;
  readonly #groups: Cache<ReadonlyMap<string, string>>;

  constructor(client: WebClient, clock: Clock) {
    this.#client = client;
    this.#channelNames = new Cache(KEEP_ENTRIES, { clock, ms: KEEP_MS });
    this.#access = new Cache(KEEP_ENTRIES, { clock, ms: KEEP_MEMBERS_MS });
    this.#members = new Cache(KEEP_MEMBER_LISTS, { clock, ms: KEEP_MEMBERS_MS });
    this.#visible = new Cache(1, { clock, ms: KEEP_MEMBERS_MS });
    this.#people = new Cache(1, { clock, ms: KEEP_MS });
    this.#groupHandles = new Cache(KEEP_ENTRIES, { clock, ms: KEEP_MS });
    this.#groups = new Cache(1, { clock, ms: KEEP_MEMBERS_MS });
  }

  async identity(): Promise<BotIdentity> {
    let answer: z.output<typeof Identity>;
    try {
      answer = Identity.parse(await this.#client.auth.test());
    } catch (error) {
      if (error instanceof ChatError) throw error;
      // The client itself throws a TypeError for an answer that is no object.
      throw new ChatError('auth.test was answered without an identity', {
        next: 'retry',
        certain: true,
        method: 'auth.test',
        cause: new UnreadableAnswer(undefined, { cause: error }),
      });
    }
    const {
      team_id: team,
      team: teamName,
      user_id: userId,
      bot_id: botId,
      user: name,
      enterprise_id: enterprise,
    } = answer;
    return { team, teamName, userId, botId, name, enterprise, url: answer.url };
  }

  /** Returns whether Slack answers this app now: after a method that it did not answer. */
  answers(): Promise<boolean> {
    return this.identity().then(
      () => true,
      () => false,
    );
  }

  /** Returns a user's profile, as seen from `home`; concurrent requests share one call. */
  async profile(user: string, home: Home): Promise<ChatProfile> {
    const asked = this.#profiles.get(user);
    if (asked) return asked;
    const asking = this.#client.users
      .info({ user })
      .then((answer) => profileOf(z.object({ user: RawUser }).parse(answer).user, home))
      .finally(() => this.#profiles.delete(user));
    this.#profiles.set(user, asking);
    return asking;
  }

  /** Returns the active people of the workspace, without bots, as seen from `home`; cached for five minutes. */
  people(home: Home): Promise<readonly ChatProfile[]> {
    return this.#people.get('all', async () => {
      const people: ChatProfile[] = [];
      const pages = this.#pages('members', ready, (cursor) =>
        this.#client.users.list({ limit: LIMITS.membersPage, ...cursor }),
      );
      for await (const raw of pages) {
        const { data: user } = RawUser.safeParse(raw);
        if (user && !user.deleted && !user.is_bot && !isOfSlack(user.id)) people.push(profileOf(user, home));
      }
      return people;
    });
  }

  channelName(channel: string): Promise<string | undefined> {
    return this.#channelNames.get(channel, async () => (await this.#info(channel)).name);
  }

  /**
   * Returns the handle of a user group, without `@`; undefined if the app may not read groups (`usergroups:read`) or
   * there is none. One list has them all (https://docs.slack.dev/reference/methods/usergroups.list).
   */
  groupHandle(group: string): Promise<string | undefined> {
    return this.#groupHandles.get(group, async () => {
      const groups = await this.#groups.get('all', async () => {
        const answer = await this.#client.usergroups.list({ include_disabled: true }).catch(ifUnreadable);
        const { usergroups } = GroupList.parse(answer ?? {});
        return new Map(usergroups.map(({ id, handle }) => [id, handle]));
      });
      return groups.get(group);
    });
  }

  /** Returns a channel's current name, whether it is private, and whether the bot is a member. */
  async channel(id: string): Promise<{ name: string | undefined; isPrivate: boolean; isMember: boolean }> {
    const { name, is_private: isPrivate, is_member: isMember } = await this.#info(id);
    return { name, isPrivate, isMember };
  }

  /** Returns whether a channel is a direct message, of two or of several: `app_mention` does not say. */
  async isDirect(channel: string): Promise<boolean> {
    if (isDirectOfTwo(channel)) return true;
    return this.#direct.get(channel, async () => {
      const { is_im, is_mpim } = await this.#info(channel);
      return is_im || is_mpim;
    });
  }

  async #info(channel: string): Promise<z.output<typeof ChannelInfo>['channel']> {
    return ChannelInfo.parse(await this.#client.conversations.info({ channel })).channel;
  }

  /** Returns the members of a channel, cached for a minute. */
  members(channel: string): Promise<readonly string[]> {
    return this.#members.get(channel, async () => {
      const members: string[] = [];
      const pages = this.#pages('members', ready, (cursor) =>
        this.#client.conversations.members({ channel, limit: LIMITS.membersPage, ...cursor }),
      );
      for await (const member of pages) if (typeof member === 'string') members.push(member);
      return members;
    });
  }

  /** Returns the channels that the bot can see, without archived ones; cached for a minute. */
  visibleChannels(): Promise<readonly VisibleChannel[]> {
    return this.#visible.get('all', async () => {
      const visible: VisibleChannel[] = [];
      const pages = this.#pages('channels', ready, (cursor) =>
        this.#client.conversations.list({
          types: 'public_channel,private_channel',
          exclude_archived: true,
          limit: LIMITS.channelsPage,
          ...cursor,
        }),
      );
      for await (const raw of pages) {
        const { data: channel } = SeenChannel.safeParse(raw);
        if (channel) visible.push({ id: channel.id, name: channel.name, isPrivate: channel.is_private });
      }
      return visible;
    });
  }

  /** Joins a public channel; succeeds if already a member. */
  async join(channel: string): Promise<void> {
    await this.#client.conversations.join({ channel });
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
    return this.#access.get(channel, async () => {
      const info = await this.#info(channel).catch(ifRejected(undefined));
      if (info?.is_private) return 'private';
      return info && !info.is_im && !info.is_mpim ? 'public' : 'unknown';
    });
  }

  /** Returns the direct message channel with a user, opened if needed; it never changes. */
  directChannel(user: string): Promise<string> {
    return this.#directs.get(user, async () => {
      const answer = await this.#client.conversations.open({ users: user });
      return z.object({ channel: z.object({ id: z.string() }) }).parse(answer).channel.id;
    });
  }

  /** Returns the channels and direct messages that the bot is a member of, without archived ones. */
  async *memberChannels(before: BeforeCall = ready): AsyncGenerator<MemberChannel> {
    const pages = this.#pages('channels', before, (cursor) =>
      this.#client.users.conversations({
        types: 'public_channel,private_channel,im,mpim',
        exclude_archived: true,
        limit: LIMITS.repliesPage,
        ...cursor,
      }),
    );
    for await (const raw of pages) {
      const { data: channel } = ListedChannel.safeParse(raw);
      if (channel) yield { id: channel.id, direct: channel.is_im || channel.is_mpim };
    }
  }

  /**
   * Returns a file and where it is shown; undefined if it is gone or not visible to us, also for a missing scope: a
   * file is not worth blocking a lane.
   */
  async file(id: string): Promise<FileInfo | undefined> {
    const answer = await this.#client.files.info({ file: id }).catch(ifUnreadable);
    return answer && z.object({ file: FileInfo }).parse(answer).file;
  }

  /** Returns the private channels that the bot has created since then, including archived ones: ids by name. */
  async ownChannels(bot: string, since: Date): Promise<ReadonlyMap<string, string>> {
    const own = new Map<string, string>();
    const pages = this.#pages('channels', ready, (cursor) =>
      this.#client.users.conversations({ types: 'private_channel', limit: LIMITS.repliesPage, ...cursor }),
    );
    for await (const raw of pages) {
      const { data: channel } = NamedChannel.safeParse(raw);
      if (channel?.creator === bot && channel.created * 1000 >= since.getTime())
        own.set(channel.name, channel.id);
    }
    return own;
  }

  /** Returns whether the bot created this private channel. */
  async isOwnChannel(channel: string, bot: string): Promise<boolean> {
    const { is_private, creator } = await this.#info(channel);
    return is_private && creator === bot;
  }

  /** Returns the messages of a thread, oldest first, including the parent; empty if the parent is gone. */
  async *thread(
    channel: string,
    ts: string,
    options: { oldest?: string; latest?: string; metadata?: boolean; before?: BeforeCall } = {},
  ): AsyncGenerator {
    const { oldest, latest, metadata, before = ready } = options;
    try {
      yield* this.#pages('messages', before, (cursor) =>
        this.#client.conversations.replies({
          channel,
          ts,
          limit: LIMITS.repliesPage,
          ...(oldest ? { oldest } : {}),
          ...(latest ? { latest, inclusive: true } : {}),
          ...(metadata ? { include_all_metadata: true } : {}),
          ...cursor,
        }),
      );
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
    yield* this.#pages('messages', options.before ?? ready, (cursor) =>
      this.#client.conversations.history({
        channel,
        oldest,
        limit: LIMITS.repliesPage,
        include_all_metadata: true,
        ...(options.latest ? { latest: options.latest, inclusive: true } : {}),
        ...cursor,
      }),
    );
  }

  async *#pages<Items extends 'channels' | 'members' | 'messages'>(
    items: Items,
    before: BeforeCall,
    read: (cursor: { cursor?: string }) => Promise<WebAPICallResult & { [Key in Items]?: unknown }>,
  ): AsyncGenerator {
    let cursor: string | undefined;
    for (let page = 0; page < LIMITS.pagesAtMost; page++) {
      await before();
      const answer = await read(cursor ? { cursor } : {});
      yield* z.array(z.unknown()).catch([]).parse(answer[items]);
      const next = answer.response_metadata?.next_cursor;
      if (!next || next === cursor) return;
      cursor = next;
    }
  }
}
