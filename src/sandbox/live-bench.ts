import { WebAPIPlatformError, type WebClient } from '@slack/web-api';
import { z } from 'zod';

import type { Clock } from '../platform/clock.ts';

/** The probe cannot run in this workspace; the message says why. */
export class CannotTry extends Error {
  override readonly name = 'CannotTry';
}

const message = z.looseObject({ ts: z.string() });
const user = z.looseObject({
  deleted: z.boolean().default(false),
  is_bot: z.boolean().default(false),
  profile: z.object({ email: z.string().optional() }).default({}),
});
const shares = z.record(z.string(), z.array(message)).optional();
/** The fields of responses that the probes read. */
const answer = z.looseObject({
  ok: z.boolean(),
  error: z.string().optional(),
  needed: z.string().optional(),
  ts: z.string().optional(),
  message: z.looseObject({}).optional(),
  messages: z.array(message).optional(),
  members: z.array(user).optional(),
  response_metadata: z
    .object({ messages: z.array(z.string()).optional(), next_cursor: z.string().optional() })
    .optional(),
  file: z
    .looseObject({
      size: z.number(),
      filetype: z.string().default(''),
      shares: z.object({ public: shares, private: shares }).optional(),
    })
    .optional(),
});
export type Answer = z.output<typeof answer>;
type Args = Record<string, unknown>;

export interface LiveFactsOptions {
  client: Pick<WebClient, 'apiCall'>;
  fetch: typeof fetch;
  clock: Clock;
  /** Resolves when the next call may be made: Slack allows about one post a second and channel. */
  pace: () => Promise<void>;
  /** The only channel that probes write to. */
  channel: string;
}

const UPLOAD_MS = 30_000;
/** Pages of users.list, and calls of files.info, after which nothing more is expected. */
const LOOKS = 20;
export const BYTES = 'hello';

/** The context of probes: one channel of a workspace, and a list of clean-up functions. */
export class Bench {
  readonly channel: string;
  readonly options: LiveFactsOptions;
  botId = '';
  #undo: { what: string; method: string; args: Args }[] = [];

  constructor(options: LiveFactsOptions) {
    this.options = options;
    this.channel = options.channel;
  }

  /** Calls a method (in the channel, unless `args` say otherwise) and returns its response, including an error. */
  async call(method: string, args: Args = {}): Promise<Answer> {
    await this.options.pace();
    const given = await this.options.client.apiCall(method, args).catch((error: unknown) => {
      if (error instanceof WebAPIPlatformError) return error.data;
      throw error;
    });
    const parsed = answer.safeParse(given);
    if (!parsed.success) throw new CannotTry('an answer has not the fields that this needs');
    if (parsed.data.error === 'missing_scope')
      throw new CannotTry(`${method} needs the scope ${parsed.data.needed ?? 'that its page names'}`);
    return parsed.data;
  }

  /** The same; throws on an error. */
  async must(method: string, args: Args = {}): Promise<Answer> {
    const given = await this.call(method, args);
    if (!given.ok) throw new CannotTry(`${method} answered ${given.error ?? 'no'}`);
    return given;
  }

  async outcome(method: string, args: Args = {}): Promise<string> {
    const given = await this.call(method, args);
    if (method === 'chat.postMessage' && given.ts !== undefined) this.deleteLater(given.ts, given['channel']);
    if (given['scheduled_message_id'] !== undefined) {
      const { channel, scheduled_message_id } = { ...args, ...given };
      this.later('the scheduled message', 'chat.deleteScheduledMessage', { channel, scheduled_message_id });
    }
    return given.ok ? 'ok' : (given.error ?? 'no');
  }

  outcomeOfPost(args: Args): Promise<string> {
    return this.outcome('chat.postMessage', { channel: this.channel, ...args });
  }

  /** Posts into the channel; the message is deleted afterwards. */
  async post(text: string, args: Args = {}) {
    const given = await this.must('chat.postMessage', { channel: this.channel, text, ...args });
    const ts = needed(given.ts);
    this.deleteLater(ts);
    return { ts, message: needed(given.message) };
  }

  /** The message as the history has it. */
  async inHistory(ts: string) {
    const window = { oldest: ts, latest: ts, inclusive: true, limit: 1 };
    const given = await this.must('conversations.history', { channel: this.channel, ...window });
    return needed(given.messages).find((one) => one.ts === ts);
  }

  async replies(ts: string) {
    return needed((await this.must('conversations.replies', { channel: this.channel, ts })).messages);
  }

  /** A parent message that was deleted while it had one reply. */
  async tombstone(): Promise<{ root: string; reply: string }> {
    const { ts: root } = await this.post('root');
    const { ts: reply } = await this.post('first', { thread_ts: root });
    await this.must('chat.delete', { channel: this.channel, ts: root });
    if (!(await this.inHistory(root))) throw new CannotTry('a deleted root leaves nothing here');
    return { root, reply };
  }

  /** The first deactivated person who fits, in what may be many pages. */
  async deactivated(fits: (one: z.output<typeof user>) => boolean) {
    let cursor: string | undefined;
    for (let look = 0; look < LOOKS && cursor !== ''; look += 1) {
      const given = await this.must('users.list', {
        limit: 200,
        ...(cursor === undefined ? {} : { cursor }),
      });
      const found = needed(given.members).find((one) => one.deleted && !one.is_bot && fits(one));
      if (found) return found;
      cursor = given.response_metadata?.next_cursor ?? '';
    }
    throw new CannotTry('nobody who is deactivated, and shows an address where that is asked for, was found');
  }

  /**
   * An address for bytes; the file is deleted afterwards. `send` uploads, `complete` shows it (in `channel`, if any).
   */
  async file(
    filename: string,
    { length = BYTES.length, channel }: { length?: number; channel?: string } = {},
  ) {
    const given = await this.must('files.getUploadURLExternal', { filename, length });
    const id = String(given['file_id']);
    this.later(`the file ${id}`, 'files.delete', { file: id });
    return {
      id,
      send: async () => {
        await this.options.pace();
        const signal = AbortSignal.timeout(UPLOAD_MS);
        const sent = await this.options.fetch(String(given['upload_url']), {
          method: 'POST',
          body: BYTES,
          signal,
        });
        return `${sent.status} ${await sent.text()}`;
      },
      complete: () =>
        this.outcome('files.completeUploadExternal', {
          files: [{ id }],
          ...(channel === undefined ? {} : { channel_id: channel }),
        }),
      /** The file when it matches, because Slack processes it after the upload; else its last state. */
      info: async (isSo: (file: NonNullable<Answer['file']>) => boolean = () => true) => {
        for (let look = 1; ; look += 1) {
          const found = needed((await this.must('files.info', { file: id })).file);
          if (isSo(found) || look === LOOKS) return found;
        }
      },
    };
  }

  deleteLater(ts: string, channel: unknown = this.channel): void {
    this.later(`the message ${ts}`, 'chat.delete', { channel, ts });
  }

  /** Clean-up functions, run in reverse order after the probe. */
  later(what: string, method: string, args: Args): void {
    this.#undo.push({ what, method, args });
  }

  /** Deletes what the probe made; returns what could not be deleted. A missing one is ignored. */
  async cleanUp(): Promise<string[]> {
    const left: string[] = [];
    for (const { what, method, args } of this.#undo.splice(0).reverse()) {
      const why = await this.outcome(method, args).catch((error: unknown) => String(error));
      if (why !== 'ok' && !GONE.has(why)) left.push(`${what} (${why})`);
    }
    return left;
  }
}

const GONE = new Set(['message_not_found', 'invalid_scheduled_message_id', 'file_deleted', 'file_not_found']);

/** @throws CannotTry if the response lacks it. */
export function needed<Value>(value: Value | undefined): Value {
  if (value === undefined) throw new CannotTry('an answer has not the fields that this needs');
  return value;
}
