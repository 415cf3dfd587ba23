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

/** The scheduled messages of a workspace (docs.slack.dev/reference/methods/chat.scheduleMessage). */
export class Schedule {
  readonly #workspace: Workspace;
  readonly #log: Log;
  #cancelAlarm: () => void = () => undefined;
  #stopped = false;

  constructor(workspace: Workspace, log: Log) {
    this.#workspace = workspace;
    this.#log = log;
  }

  /** Counts a channel's messages that are due within `seconds` before or after a time (Unix seconds). */
  countAround(channel: Channel, at: number, seconds: number): number {
    const found = this.#workspace.db
      .query<{ count: number }>(
        'select count(*) as count from scheduled_message where channel_id = ? and post_at > ? and post_at < ?',
      )
      .get(channel.id, at - seconds, at + seconds);
    return found?.count ?? 0;
  }

  /** Stores a message to be posted at `postAt` (Unix seconds). Returns its id. */
  add(app: App, channel: Channel, postAt: number, post: ScheduledPost): string {
    const { db, ids, clock } = this.#workspace;
    const id = ids.slackId('Q');
    db.insert('scheduled_message', {
      id,
      app_id: app.id,
      channel_id: channel.id,
      post_at: postAt,
      created_at: Math.floor(clock.now().getTime() / 1000),
      post,
    });
    this.wake();
    return id;
  }

  /** Returns an app's messages that are not posted yet, by time. */
  list(app: App): Scheduled[] {
    return this.#waiting().filter(({ app_id }) => app_id === app.id);
  }

  /** Removes a message. Returns false if the app has no such message in the channel. */
  remove(app: App, channel: Channel, id: string): boolean {
    const sql = 'delete from scheduled_message where id = ? and app_id = ? and channel_id = ?';
    return this.#workspace.db.run(sql, id, app.id, channel.id) > 0;
  }

  /** Posts the messages that are due and sets an alarm for the next one. */
  wake(): void {
    if (this.#stopped) return;
    this.#cancelAlarm();
    const now = this.#workspace.clock.now().getTime();
    const waiting = this.#waiting();
    const due = waiting.filter(({ post_at }) => post_at <= Math.floor(now / 1000));
    const next = waiting[due.length];
    if (next)
      this.#cancelAlarm = this.#workspace.clock.alarm(new Date(next.post_at * 1000), () => this.wake());
    for (const message of due) this.#post(message);
  }

  stop(): void {
    this.#stopped = true;
    this.#cancelAlarm();
  }

  /** Returns all messages of this workspace, by time. */
  #waiting(): Scheduled[] {
    const { db, directory } = this.#workspace;
    return db
      .query<Scheduled>(
        `select scheduled_message.* from scheduled_message join channel on channel.id = channel_id
       where team_id = ? order by post_at, scheduled_message.id`,
      )
      .all(directory.team.id);
  }

  /** Posts one message. A failure is logged, so that it does not hold up the others. */
  #post({ id, channel_id, post }: Scheduled): void {
    const { db, directory } = this.#workspace;
    const channel = directory.channels.get(channel_id);
    try {
      // Deleted first, so that nothing is posted twice if the process stops.
      db.run('delete from scheduled_message where id = ?', id);
      // The documentation's "Bug alert": messages with metadata are never posted.
      if (channel && !channel.isArchived && !post.content.metadata)
        postMessage(this.#workspace, channel, post);
    } catch (error) {
      this.#log.warn({ err: error, scheduled: id }, 'a scheduled message could not be posted');
    }
  }
}
