import type { Readable } from 'node:stream';

import type { HomeView, KnownBlock, ModalView } from '@slack/types';
import type {
  ChatPostEphemeralArguments,
  ChatPostMessageArguments,
  FilesCompleteUploadExternalArguments,
  LinkUnfurls,
  WebClient,
} from '@slack/web-api';
import { request } from 'undici';
import { z } from 'zod';

import type { Log } from '../../platform/log.ts';
import { ChatError } from './errors.ts';
import { type SenderIdentity, blockIdOf, type PostMetadata, metadataOf } from './post-metadata.ts';
import { LIMITS } from './limits.ts';

export interface Post {
  channel: string;
  text: string;
  blocks?: readonly unknown[] | undefined;
  thread?: string | undefined;
  /** A sender identity other than the bot's own (`chat:write.customize`). */
  as?: SenderIdentity | undefined;
  metadata: PostMetadata;
}

/** The place of links that Slack asks about. */
type UnfurlSource = 'composer' | 'conversations_history';

/** The message of an uploaded file: the bot's own, because Slack accepts no other sender there. */
interface ShownFile {
  file: string;
  title: string;
  /** The text above it; default its title. */
  words: string | undefined;
  channel: string;
  thread: string;
  metadata: PostMetadata;
}

const PostAnswer = z.object({
  ts: z.string(),
  message: z.looseObject({ thread_ts: z.string().optional() }).optional(),
});

const OpenAnswer = z.object({ channel: z.object({ id: z.string() }) });

/**
 * Slack rejects these blocks: a workspace that does not accept one of their types, or a changed limit
 * (https://docs.slack.dev/reference/methods/chat.postMessage#errors).
 */
const REFUSED_BLOCKS = new Set(['invalid_blocks', 'invalid_blocks_format', 'msg_blocks_too_long']);

/**
 * Writes to Slack, each attempted once; if the blocks are rejected, the text is sent without them. Throws ChatError.
 */
export class ChatWriter {
  readonly #client: WebClient;
  readonly #log: Log;

  constructor(client: WebClient, log: Log) {
    this.#client = client;
    this.#log = log;
  }

  async post({
    channel,
    text,
    blocks,
    thread,
    as,
    metadata,
  }: Post): Promise<{ ts: string; orphaned: boolean }> {
    const answer = PostAnswer.parse(
      await this.#shown(blocks ?? [], (shown) =>
        this.#client.chat.postMessage({
          channel,
          text,
          ...(shown.length > 0 ? { blocks: shown as KnownBlock[] } : {}),
          ...(thread ? { thread_ts: thread } : {}),
          ...senderFields(as),
          unfurl_links: false,
          metadata: metadataOf(metadata),
          // Its type is a union over every combination; each key alone is as documented.
        } as unknown as ChatPostMessageArguments),
      ),
    );
    // Its thread is gone, and Slack put it into the channel (B58): only a response with the message shows that.
    const orphaned = thread !== undefined && answer.message !== undefined && !answer.message.thread_ts;
    return { ts: answer.ts, orphaned };
  }

  /** New metadata replaces the post's; without it, the old one stays. */
  async update(
    channel: string,
    ts: string,
    text: string,
    blocks: readonly unknown[],
    metadata?: PostMetadata,
  ): Promise<void> {
    await this.#shown(blocks, (shown) =>
      this.#client.chat.update({
        channel,
        ts,
        text,
        // Left out, it is `client` here, unlike in a post: names in the text could become mentions.
        parse: 'none',
        // Existing blocks would stay if none were given.
        blocks: shown as KnownBlock[],
        ...(metadata ? { metadata: metadataOf(metadata) } : {}),
      }),
    );
  }

  /** Deletes a post; succeeds if it is already gone. */
  async remove(channel: string, ts: string): Promise<void> {
    await ignoreErrors(this.#client.chat.delete({ channel, ts }), 'message_not_found');
  }

  /** Adds previews to links of a message or a draft; repeating it changes them. */
  async unfurl(
    {
      channel,
      ts,
      unfurlId,
      source,
    }: { channel: string; ts: string; unfurlId?: string | undefined; source?: UnfurlSource | undefined },
    unfurls: Readonly<Record<string, { blocks: readonly unknown[] }>>,
  ): Promise<void> {
    // A draft has no message yet: its id and source identify it (https://docs.slack.dev/reference/methods/chat.unfurl).
    const place = unfurlId && source ? { unfurl_id: unfurlId, source } : { channel, ts };
    await this.#client.chat.unfurl({ ...place, unfurls: unfurls as LinkUnfurls });
  }

  async ephemeral(
    channel: string,
    user: string,
    text: string,
    { thread, as }: { thread?: string | undefined; as?: SenderIdentity | undefined },
  ): Promise<void> {
    await this.#client.chat.postEphemeral({
      channel,
      user,
      text,
      ...(thread ? { thread_ts: thread } : {}),
      ...senderFields(as),
    } as unknown as ChatPostEphemeralArguments);
  }

  /** Publishes a user's Home; idempotent. */
  async publishHome(user: string, view: HomeView): Promise<void> {
    await this.#client.views.publish({ user_id: user, view });
  }

  /** Creates a private channel with only the bot in it. Not idempotent: a second one with the name is `name_taken`. */
  async createPrivate(name: string): Promise<string> {
    return OpenAnswer.parse(await this.#client.conversations.create({ name, is_private: true })).channel.id;
  }

  /** Invites users to a channel; existing members and users who cannot join are skipped, unless that is all of them. */
  async invite(channel: string, users: readonly string[]): Promise<void> {
    await ignoreErrors(
      this.#client.conversations.invite({ channel, users: users.join(','), force: true }),
      'already_in_channel',
    );
  }

  /** Archives a channel; succeeds if it is already archived. */
  async archive(channel: string): Promise<void> {
    await ignoreErrors(this.#client.conversations.archive({ channel }), 'already_archived');
  }

  /** Returns the direct message channel with these users, of two or of several; idempotent. */
  async openDirect(users: readonly string[]): Promise<string> {
    return OpenAnswer.parse(await this.#client.conversations.open({ users: users.join(',') })).channel.id;
  }

  /** Adds an emoji of the bot to a message; succeeds if it is already there. */
  async react(channel: string, timestamp: string, name: string): Promise<void> {
    await ignoreErrors(this.#client.reactions.add({ channel, timestamp, name }), 'already_reacted');
  }

  /** Removes an emoji of the bot; succeeds if it is not there. */
  async unreact(channel: string, timestamp: string, name: string): Promise<void> {
    await ignoreErrors(this.#client.reactions.remove({ channel, timestamp, name }), 'no_reaction');
  }

  /**
   * Uploads a file's bytes to Slack, which does not show them anywhere yet: a repetition leaves an invisible file.
   * @returns Slack's id of the file.
   */
  async uploadFile(
    filename: string,
    { length, body }: { length: number; body: Buffer | Readable },
    altText: string,
  ): Promise<string> {
    const { upload_url: url, file_id: id } = z.object({ upload_url: z.url(), file_id: z.string() }).parse(
      await this.#client.files.getUploadURLExternal({
        filename,
        length,
        // As on its reference page; the type has another spelling.
        ...(altText === '' ? {} : { alt_txt: altText }),
      }),
    );
    let status: number;
    try {
      const answer = await request(url, {
        method: 'POST',
        body,
        headers: { 'content-type': 'application/octet-stream', 'content-length': String(length) },
        headersTimeout: LIMITS.uploadWaitMs,
        bodyTimeout: LIMITS.uploadWaitMs,
        signal: AbortSignal.timeout(LIMITS.uploadTimeoutMs),
      });
      status = answer.statusCode;
      await answer.body.dump();
    } catch (error) {
      throw new ChatError('the upload got no answer', { next: 'retry', certain: true, cause: error });
    }
    if (status === 200) return id;
    const next = status === 429 || status >= 500 ? 'retry' : 'give-up';
    throw new ChatError(`the upload was answered HTTP ${status}`, { next, certain: true });
  }

  /** Shares an uploaded file in a thread, which Slack does some time after its response. */
  async showFile({ file, title, words, channel, thread, metadata }: ShownFile): Promise<void> {
    const block = {
      type: 'rich_text',
      block_id: blockIdOf(metadata),
      elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: words ?? title }] }],
    };
    await this.#client.files.completeUploadExternal({
      files: [{ id: file, title }],
      channel_id: channel,
      thread_ts: thread,
      blocks: [block],
    } as FilesCompleteUploadExternalArguments);
  }

  /** Deletes a file of ours; succeeds if it is already gone. The message that shows it stays. */
  async removeFile(file: string): Promise<void> {
    await ignoreErrors(this.#client.files.delete({ file }), 'file_not_found', 'file_deleted');
  }

  /** A message without working buttons is better than a dead letter. */
  async #shown<Answer>(
    blocks: readonly unknown[],
    call: (blocks: readonly unknown[]) => Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await call(blocks);
    } catch (error) {
      const isRefused = error instanceof ChatError && REFUSED_BLOCKS.has(error.code ?? '');
      if (!isRefused || blocks.length === 0) throw error;
      this.#log.warn(
        { err: error, event: 'chat.blocks_refused', method: error.method },
        'Slack rejected these blocks: the message is sent as text only',
      );
      return await call([]);
    }
  }
}

/** Awaits a call; succeeds if Slack says that there is nothing to do. */
async function ignoreErrors(call: Promise<unknown>, ...done: string[]): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!(error instanceof ChatError && error.code !== undefined && done.includes(error.code))) throw error;
  }
}

/** Slack prefers the emoji if both are given, so a picture is sent without one. */
function senderFields(as: SenderIdentity | undefined): {
  username?: string;
  icon_url?: string;
  icon_emoji?: string;
} {
  return {
    ...(as?.name ? { username: as.name } : {}),
    ...(as?.iconUrl ? { icon_url: as.iconUrl } : {}),
    ...(as?.iconEmoji && !as.iconUrl ? { icon_emoji: as.iconEmoji } : {}),
  };
}

/** A modal is filled within seconds. */
const UNOPENED_KEPT = 1_000;

/** Modals. Best effort: each call is made once. Throws ChatError. */
export class Modals {
  readonly #client: WebClient;
  /** Modals that Slack did not open; their users were notified. */
  readonly #unopened = new Set<string>();
  /** Modals for which Slack has not responded yet. */
  readonly #opening = new Set<string>();

  constructor(client: WebClient) {
    this.#client = client;
  }

  /**
   * Opens a modal. A trigger expires after three seconds, so it is used within the request that brought it
   * (https://docs.slack.dev/surfaces/modals#opening).
   */
  async open(trigger: string, view: ModalView): Promise<void> {
    this.#opening.add(trigger);
    try {
      await this.#client.views.open({ trigger_id: trigger, view });
    } catch (error) {
      if (this.#unopened.size >= UNOPENED_KEPT) this.#unopened.clear();
      this.#unopened.add(trigger);
      throw error;
    } finally {
      this.#opening.delete(trigger);
    }
  }

  /** Returns whether this process waits for Slack's answer about the modal of a trigger. */
  isOpening(trigger: string): boolean {
    return this.#opening.has(trigger);
  }

  /** Returns whether Slack did not open the modal of a trigger, as far as this process knows. */
  isUnopened(trigger: string): boolean {
    return this.#unopened.has(trigger);
  }

  /** Replaces the contents of a modal that was opened with this `external_id`. */
  async update(externalId: string, view: ModalView): Promise<void> {
    await this.#client.views.update({ external_id: externalId, view: { ...view, external_id: externalId } });
  }

  /** Replaces the contents of an open modal; input stays if block and element ids stay. */
  async change(viewId: string, view: ModalView): Promise<void> {
    await this.#client.views.update({ view_id: viewId, view });
  }
}
