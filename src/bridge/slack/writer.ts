import type { HomeView, KnownBlock } from '@slack/types';
import type {
  ChatPostEphemeralArguments,
  ChatPostMessageArguments,
  FilesCompleteUploadExternalArguments,
  LinkUnfurls,
  WebClient,
} from '@slack/web-api';
import { z } from 'zod';

import type { Log } from '../../platform/log.ts';
import { ChatError, chatErrorOf } from './errors.ts';
import type { Face } from './face.ts';
import { LIMITS } from './limits.ts';
import { blockIdOf, type Mark, metadataOf } from './mark.ts';

export interface Post {
  channel: string;
  text: string;
  blocks?: readonly unknown[] | undefined;
  thread?: string | undefined;
  /** Another name and picture than the bot's own (`chat:write.customize`). */
  as?: Face | undefined;
  mark: Mark;
}

/** Where links stand of which chat asks what they lead to. */
type UnfurlSource = 'composer' | 'conversations_history';

/** A post that stands in chat. */
export interface Posted {
  ts: string;
  /** Its thread is gone, and chat put it into the channel (B58). */
  fellOut: boolean;
}

/** The message that shows an uploaded file: the bot's own, for chat takes no other name there. */
export interface ShownFile {
  file: string;
  title: string;
  /** A line above it; its title where absent. */
  words: string | undefined;
  channel: string;
  thread: string;
  mark: Mark;
}

const PostAnswer = z.object({
  ts: z.string(),
  message: z.looseObject({ thread_ts: z.string().optional() }).optional(),
});

const OpenAnswer = z.object({ channel: z.object({ id: z.string() }) });

/**
 * Chat will not show these blocks: a workspace that does not take one of their kinds, or a limit that has changed
 * (https://docs.slack.dev/reference/methods/chat.postMessage#errors).
 */
const REFUSED_BLOCKS = new Set(['invalid_blocks', 'invalid_blocks_format', 'msg_blocks_too_long']);

/** The writes to chat, each attempted once; what is refused for its blocks goes once more as words. Throws ChatError. */
export class ChatWriter {
  readonly #client: WebClient;
  readonly #log: Log;

  constructor(client: WebClient, log: Log) {
    this.#client = client;
    this.#log = log;
  }

  async post({ channel, text, blocks, thread, as, mark }: Post): Promise<Posted> {
    const answer = PostAnswer.parse(
      await this.#shown('chat.postMessage', blocks ?? [], (shown) =>
        this.#client.chat.postMessage({
          channel,
          text,
          ...(shown.length > 0 ? { blocks: shown as KnownBlock[] } : {}),
          ...(thread ? { thread_ts: thread } : {}),
          ...customized(as),
          unfurl_links: false,
          metadata: metadataOf(mark),
          // Its type is a union over every mix of these; each key alone is as documented.
        } as unknown as ChatPostMessageArguments),
      ),
    );
    // Only an answer that shows the message tells that it stands in no thread.
    const fellOut = thread !== undefined && answer.message !== undefined && !answer.message.thread_ts;
    return { ts: answer.ts, fellOut };
  }

  /** A `mark` replaces the one that the post bears; without it, that one stays. */
  async update(
    channel: string,
    ts: string,
    text: string,
    blocks: readonly unknown[],
    mark?: Mark,
  ): Promise<void> {
    await this.#shown('chat.update', blocks, (shown) =>
      this.#client.chat.update({
        channel,
        ts,
        text,
        // Those that stand there would stay if none were named.
        blocks: shown as KnownBlock[],
        ...(mark ? { metadata: metadataOf(mark) } : {}),
      }),
    );
  }

  /** Deletes a post; one that is gone already is what was wanted. */
  async remove(channel: string, ts: string): Promise<void> {
    await this.#unless('message_not_found', 'chat.delete', () => this.#client.chat.delete({ channel, ts }));
  }

  /** Puts previews under links of a message, or of a draft; said again it changes them. */
  async unfurl(
    {
      channel,
      ts,
      unfurlId,
      source,
    }: { channel: string; ts: string; unfurlId?: string | undefined; source?: UnfurlSource | undefined },
    unfurls: Readonly<Record<string, { blocks: readonly unknown[] }>>,
  ): Promise<void> {
    // A draft has no message yet: its id and source name the place (https://docs.slack.dev/reference/methods/chat.unfurl).
    const place = unfurlId && source ? { unfurl_id: unfurlId, source } : { channel, ts };
    await this.#call('chat.unfurl', () =>
      this.#client.chat.unfurl({ ...place, unfurls: unfurls as LinkUnfurls }),
    );
  }

  async whisper(
    channel: string,
    user: string,
    text: string,
    { thread, as }: { thread?: string | undefined; as?: Face | undefined },
  ): Promise<void> {
    await this.#call('chat.postEphemeral', () =>
      this.#client.chat.postEphemeral({
        channel,
        user,
        text,
        ...(thread ? { thread_ts: thread } : {}),
        ...customized(as),
      } as unknown as ChatPostEphemeralArguments),
    );
  }

  /** Shows somebody their Home; the same again changes nothing. */
  async publishHome(user: string, view: HomeView): Promise<void> {
    await this.#call('views.publish', () => this.#client.views.publish({ user_id: user, view }));
  }

  /** Makes a private channel with only the bot in it. Not idempotent: a second one of the name is `name_taken`. */
  async createPrivate(name: string): Promise<string> {
    const answer = await this.#call('conversations.create', () =>
      this.#client.conversations.create({ name, is_private: true }),
    );
    return OpenAnswer.parse(answer).channel.id;
  }

  /** Brings people into a channel; those who are there already, or cannot be there, are passed over unless it is all of them. */
  async invite(channel: string, users: readonly string[]): Promise<void> {
    await this.#unless('already_in_channel', 'conversations.invite', () =>
      this.#client.conversations.invite({ channel, users: users.join(','), force: true }),
    );
  }

  /** Archives a channel; one that is archived already is what was wanted. */
  async archive(channel: string): Promise<void> {
    await this.#unless('already_archived', 'conversations.archive', () =>
      this.#client.conversations.archive({ channel }),
    );
  }

  /** The direct conversation with these people, of two or of several; opened once however often it is asked for. */
  async openDirect(users: readonly string[]): Promise<string> {
    const answer = await this.#call('conversations.open', () =>
      this.#client.conversations.open({ users: users.join(',') }),
    );
    return OpenAnswer.parse(answer).channel.id;
  }

  /** Puts an emoji of the bot on a message; one that is there already is what was wanted. */
  async react(channel: string, timestamp: string, name: string): Promise<void> {
    await this.#unless('already_reacted', 'reactions.add', () =>
      this.#client.reactions.add({ channel, timestamp, name }),
    );
  }

  /** Takes an emoji of the bot away; one that is not there is what was wanted. */
  async unreact(channel: string, timestamp: string, name: string): Promise<void> {
    await this.#unless('no_reaction', 'reactions.remove', () =>
      this.#client.reactions.remove({ channel, timestamp, name }),
    );
  }

  /**
   * Hands a file's bytes to chat, which shows them nowhere yet: what is repeated leaves a file that nobody sees.
   * @returns chat's id of the file.
   */
  async uploadFile(filename: string, bytes: Uint8Array<ArrayBuffer>, altText: string): Promise<string> {
    const { upload_url: url, file_id: id } = z.object({ upload_url: z.url(), file_id: z.string() }).parse(
      await this.#call('files.getUploadURLExternal', () =>
        this.#client.files.getUploadURLExternal({
          filename,
          length: bytes.length,
          // Its page calls it so; the type names another spelling.
          ...(altText === '' ? {} : { alt_txt: altText }),
        }),
      ),
    );
    let status: number;
    try {
      const answer = await fetch(url, {
        method: 'POST',
        body: bytes,
        headers: { 'content-type': 'application/octet-stream' },
        signal: AbortSignal.timeout(LIMITS.uploadTimeoutMs),
      });
      ({ status } = answer);
      await answer.body?.cancel();
    } catch (error) {
      throw new ChatError('the upload got no answer', { next: 'retry', certain: true, cause: error });
    }
    if (status === 200) return id;
    const next = status === 429 || status >= 500 ? 'retry' : 'give-up';
    throw new ChatError(`the upload was answered HTTP ${status}`, { next, certain: true });
  }

  /** Has chat show an uploaded file in a thread, which it does some time after its answer. */
  async showFile({ file, title, words, channel, thread, mark }: ShownFile): Promise<void> {
    const block = {
      type: 'rich_text',
      block_id: blockIdOf(mark),
      elements: [{ type: 'rich_text_section', elements: [{ type: 'text', text: words ?? title }] }],
    };
    await this.#call('files.completeUploadExternal', () =>
      this.#client.files.completeUploadExternal({
        files: [{ id: file, title }],
        channel_id: channel,
        thread_ts: thread,
        blocks: [block],
      } as FilesCompleteUploadExternalArguments),
    );
  }

  /** Deletes a file of ours; one that is gone already is what was wanted. The message that shows it stays. */
  async removeFile(file: string): Promise<void> {
    try {
      await this.#unless('file_not_found', 'files.delete', () => this.#client.files.delete({ file }));
    } catch (error) {
      if (!(error instanceof ChatError && error.code === 'file_deleted')) throw error;
    }
  }

  async #unless(wanted: string, method: string, call: () => Promise<unknown>): Promise<void> {
    try {
      await this.#call(method, call);
    } catch (error) {
      if (!(error instanceof ChatError && error.code === wanted)) throw error;
    }
  }

  /** A message that people can read and not press is better than one that is parked. */
  async #shown<Answer>(
    method: string,
    blocks: readonly unknown[],
    call: (blocks: readonly unknown[]) => Promise<Answer>,
  ): Promise<Answer> {
    try {
      return await this.#call(method, () => call(blocks));
    } catch (error) {
      const isRefused = error instanceof ChatError && REFUSED_BLOCKS.has(error.code ?? '');
      if (!isRefused || blocks.length === 0) throw error;
      this.#log.warn(
        { err: error, event: 'chat.blocks_refused', method },
        'chat does not take these blocks: the message goes as words alone',
      );
      return await this.#call(method, () => call([]));
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

/** Where both are given chat shows the emoji, so a picture goes without one. */
function customized(as: Face | undefined): { username?: string; icon_url?: string; icon_emoji?: string } {
  return {
    ...(as?.name ? { username: as.name } : {}),
    ...(as?.iconUrl ? { icon_url: as.iconUrl } : {}),
    ...(as?.iconEmoji && !as.iconUrl ? { icon_emoji: as.iconEmoji } : {}),
  };
}
