import type { Block, MessageContent, Reaction, StoredMessage } from '../workspace/content.ts';

/** A message as the control API and the page show it: everything. */
export interface ShownMessage {
  channel: string;
  ts: string;
  thread_ts?: string;
  /** The user id of a person or a bot; absent on a post under a name of its own. */
  user?: string;
  username?: string;
  icons?: MessageContent['icons'];
  bot_id?: string;
  subtype?: string;
  text: string;
  blocks: Block[];
  /** The blocks were made from the text. */
  auto_blocks: boolean;
  attachments?: MessageContent['attachments'];
  /** The bytes of each: `/_control/files/` and its id. */
  files?: MessageContent['files'];
  metadata?: MessageContent['metadata'];
  reactions: Reaction[];
  edited?: { user: string; ts: string };
  reply_count: number;
  reply_users: string[];
  latest_reply?: string;
  /** The one person who sees it. */
  ephemeralFor?: string;
}

export function shownMessage(message: StoredMessage): ShownMessage {
  const { content } = message;
  return {
    channel: message.channel_id,
    ts: message.ts,
    ...(message.thread_ts === null ? {} : { thread_ts: message.thread_ts }),
    ...pick(content, [
      'user',
      'username',
      'icons',
      'bot_id',
      'subtype',
      'attachments',
      'files',
      'metadata',
      'edited',
    ]),
    text: content.text,
    blocks: content.blocks ?? [],
    auto_blocks: message.auto_blocks,
    reactions: message.reactions,
    reply_count: message.reply_count,
    reply_users: message.reply_users,
    ...(message.latest_reply === null ? {} : { latest_reply: message.latest_reply }),
    ...(message.ephemeral_for === null ? {} : { ephemeralFor: message.ephemeral_for }),
  };
}

function pick<Key extends keyof MessageContent>(
  content: MessageContent,
  keys: readonly Key[],
): Partial<Pick<MessageContent, Key>> {
  const picked: Partial<Pick<MessageContent, Key>> = {};
  for (const key of keys) if (content[key] !== undefined) picked[key] = content[key];
  return picked;
}
