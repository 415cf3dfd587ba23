import type { Log } from '../../platform/log.ts';
import type { ScheduledPost } from './content.ts';
import type { App, Channel } from './directory.ts';
import { postMessage } from './messages.ts';
import type { Workspace } from './workspace.ts';

export interface Scheduled {
  id: string;
  app_id: string;
  channel_id: string;
  post_at: number;
  created_at: number;
  post: ScheduledPost;
}

/** Messages that wait for their time (docs.slack.dev/reference/methods/chat.scheduleMessage). */
export class Schedule {
  readonly #workspace: Workspace;
  readonly #log: Log;
  #cancelAlarm: () => void = () => undefined;
  #posting: Promise<void> | undefined;
  #again = false;
  #stopped = false;

  constructor(workspace: Workspace, log: Log) {
    this.#workspace = workspace;
    this.#log = log;
  }

  /** How many of a channel's messages are due within `seconds` before or after a moment (Unix seconds). */
  async countAround(channel: Channel, at: number, seconds: number): Promise<number> {
    const { count } = await this.#workspace.db
      .selectFrom('scheduled_message')
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .where('channel_id', '=', channel.id)
      .where('post_at', '>', at - seconds)
      .where('post_at', '<', at + seconds)
      .executeTakeFirstOrThrow();
    return count;
  }

  /** Stores a message to be posted at `postAt` (Unix seconds); gives its id. */
  async add(app: App, channel: Channel, postAt: number, post: ScheduledPost): Promise<string> {
    const id = this.#workspace.ids.slackId('Q');
    await this.#workspace.db
      .insertInto('scheduled_message')
      .values({
        id,
        app_id: app.id,
        channel_id: channel.id,
        post_at: postAt,
        created_at: Math.floor(this.#workspace.clock.now().getTime() / 1000),
        post: JSON.stringify(post),
      })
      .execute();
    this.wake();
    return id;
  }

  /** Those of an app that are not posted yet, by their time. */
  list(app: App): Promise<Scheduled[]> {
    return this.#ofTeam()
      .selectAll('scheduled_message')
      .where('app_id', '=', app.id)
      .orderBy('post_at')
      .orderBy('scheduled_message.id')
      .execute();
  }

  /** False where the app has no such message waiting in that channel. */
  async remove(app: App, channel: Channel, id: string): Promise<boolean> {
    const result = await this.#workspace.db
      .deleteFrom('scheduled_message')
      .where('id', '=', id)
      .where('app_id', '=', app.id)
      .where('channel_id', '=', channel.id)
      .executeTakeFirst();
    return result.numDeletedRows > 0n;
  }

  /** Posts what is due by the clock, and sets the alarm for the next. */
  wake(): void {
    if (this.#stopped) return;
    if (this.#posting) {
      this.#again = true;
      return;
    }
    this.#cancelAlarm();
    this.#posting = this.#post()
      .catch((error: unknown) => this.#log.warn({ err: error }, 'scheduled messages could not be posted'))
      .finally(() => {
        this.#posting = undefined;
        if (this.#again) {
          this.#again = false;
          this.wake();
        }
      });
  }

  async stop(): Promise<void> {
    this.#stopped = true;
    this.#cancelAlarm();
    await this.#posting;
  }

  /** Those of this workspace. */
  #ofTeam() {
    const { db, directory } = this.#workspace;
    return db
      .selectFrom('scheduled_message')
      .innerJoin('channel', 'channel.id', 'scheduled_message.channel_id')
      .where('channel.team_id', '=', directory.team.id);
  }

  async #post(): Promise<void> {
    const { db, clock, directory } = this.#workspace;
    const now = clock.now().getTime();
    const due = await this.#ofTeam()
      .selectAll('scheduled_message')
      .where('post_at', '<=', Math.floor(now / 1000))
      .orderBy('post_at')
      .orderBy('scheduled_message.id')
      .execute();
    for (const { id, channel_id, post } of due) {
      const channel = directory.channels.get(channel_id);
      // Taken away first: what the process did not get to post is not posted twice.
      const taken = await db.deleteFrom('scheduled_message').where('id', '=', id).executeTakeFirst();
      // The page's "Bug alert": what carries metadata is never posted.
      if (!channel || channel.isArchived || taken.numDeletedRows === 0n || post.content.metadata) continue;
      await postMessage(this.#workspace, channel, post);
    }
    const next = await this.#ofTeam().select('post_at').orderBy('post_at').limit(1).executeTakeFirst();
    if (!next || this.#stopped) return;
    this.#cancelAlarm();
    this.#cancelAlarm = clock.alarm(new Date(next.post_at * 1000), () => this.wake());
  }
}
