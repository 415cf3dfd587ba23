import type { StoredMessage } from './content.ts';

/** `https://team.slack.com/archives/C1/p1700000000000100`, with the thread for a reply (chat.getPermalink). */
export function permalinkOf(domain: string, message: StoredMessage): string {
  const address = `https://${domain}.slack.com/archives/${message.channel_id}/p${message.ts.replace('.', '')}`;
  return message.thread_ts === null
    ? address
    : `${address}?thread_ts=${message.thread_ts}&cid=${message.channel_id}`;
}
