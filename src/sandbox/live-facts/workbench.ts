import { WebAPIPlatformError, type WebClient } from '@slack/web-api';
import { z } from 'zod';

import type { Clock } from '../../platform/clock.ts';
import { CannotTry, read } from './read.ts';

const UPLOAD_MS = 30_000;

const answer = z.looseObject({
  ok: z.boolean(),
  error: z.string().optional(),
  needed: z.string().optional(),
});
const posted = z.object({ ts: z.string(), message: z.looseObject({}) });
const page = z.object({ messages: z.array(z.looseObject({ ts: z.string() })) });

export type Answer = z.output<typeof answer>;
export type SeenMessage = z.output<typeof page>['messages'][number];

export interface WorkbenchParts {
  client: Pick<WebClient, 'apiCall'>;
  fetch: typeof fetch;
  clock: Clock;
  /** Resolves when the next call may be made: Slack allows about one post a second and channel. */
  pace: () => Promise<void>;
  /** The one channel that is written to. */
  channel: string;
  bot: { userId: string };
}

/** What probes work with: one channel of a workspace, and a list of what has to be put away afterwards. */
export class Workbench {
  readonly channel: string;
  readonly bot: { userId: string };
  readonly clock: Clock;
  readonly #parts: WorkbenchParts;
  #undo: { what: string; undo: () => Promise<Answer> }[] = [];

  constructor(parts: WorkbenchParts) {
    this.#parts = parts;
    this.channel = parts.channel;
    this.bot = parts.bot;
    this.clock = parts.clock;
  }

  /**
   * Calls a method and gives its answer, a refusal too.
   * @throws CannotTry where the token has not got the scope.
   */
  async call(method: string, args: Record<string, unknown> = {}): Promise<Answer> {
    await this.#parts.pace();
    const given = read(answer, await this.#answerOf(method, args));
    if (given.error === 'missing_scope')
      throw new CannotTry(`${method} needs the scope ${given.needed ?? 'that its page names'}`);
    return given;
  }

  /** The same where only success leads on. */
  async must(method: string, args: Record<string, unknown> = {}): Promise<Answer> {
    const given = await this.call(method, args);
    if (!given.ok) throw new CannotTry(`${method} answered ${given.error ?? 'no'}`);
    return given;
  }

  /** Posts into the channel; the message is deleted afterwards. */
  async post(args: Record<string, unknown>): Promise<z.output<typeof posted>> {
    const given = read(posted, await this.must('chat.postMessage', { channel: this.channel, ...args }));
    this.deleteLater(given.ts);
    return given;
  }

  /** The refusal of a post, or `ok`; what was posted nevertheless is deleted afterwards. */
  async outcomeOfPost(args: Record<string, unknown>): Promise<string> {
    const given = await this.call('chat.postMessage', { channel: this.channel, ...args });
    const ts = z.object({ channel: z.string(), ts: z.string() }).safeParse(given);
    if (ts.success) this.deleteLater(ts.data.ts, ts.data.channel);
    return outcomeOf(given);
  }

  deleteLater(ts: string, channel: string = this.channel): void {
    this.afterwards(`the message ${ts}`, () => this.call('chat.delete', { channel, ts }));
  }

  /** The message as the history has it; undefined where it is not there. */
  async inHistory(ts: string): Promise<SeenMessage | undefined> {
    const window = { oldest: ts, latest: ts, inclusive: true, limit: 1 };
    const given = await this.must('conversations.history', { channel: this.channel, ...window });
    return read(page, given).messages.find((message) => message.ts === ts);
  }

  /** What conversations.replies gives for a ts. */
  async replies(ts: string): Promise<SeenMessage[]> {
    return read(page, await this.must('conversations.replies', { channel: this.channel, ts })).messages;
  }

  /** Sends bytes to an upload address, which is not part of the Web API; gives status and text. */
  async upload(url: string, bytes: string): Promise<string> {
    await this.#parts.pace();
    const response = await this.#parts.fetch(url, {
      method: 'POST',
      body: bytes,
      signal: AbortSignal.timeout(UPLOAD_MS),
    });
    return `${response.status} ${await response.text()}`;
  }

  /** To be done when the probe is over, the last first. */
  afterwards(what: string, undo: () => Promise<Answer>): void {
    this.#undo.push({ what, undo });
  }

  /** Puts everything away; gives what could not be. What is gone already is no trouble. */
  async cleanUp(): Promise<string[]> {
    const left: string[] = [];
    for (const { what, undo } of this.#undo.splice(0).reverse()) {
      const why = await undo().then(
        ({ ok, error = 'no' }) => (ok || GONE.has(error) ? undefined : error),
        (error: unknown) => (error instanceof Error ? error.message : String(error)),
      );
      if (why !== undefined) left.push(`${what} (${why})`);
    }
    return left;
  }

  async #answerOf(method: string, args: Record<string, unknown>): Promise<unknown> {
    try {
      return await this.#parts.client.apiCall(method, args);
    } catch (error) {
      if (error instanceof WebAPIPlatformError) return error.data;
      throw error;
    }
  }
}

const GONE = new Set(['message_not_found', 'invalid_scheduled_message_id', 'file_deleted', 'file_not_found']);

export function outcomeOf({ ok, error }: Answer): string {
  return ok ? 'ok' : (error ?? 'no');
}
