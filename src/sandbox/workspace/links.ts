import type { JsonObject, StoredMessage } from './content.ts';
import type { Channel } from './directory.ts';
import { emitChanged, noteOnceDone, readMessage, updateMessage } from './message-store.ts';
import type { Workspace, Change } from './workspace.ts';

/** docs.slack.dev/messaging/unfurling-links-in-messages: previews of one message at most. */
const PREVIEWS = 5;

/** The addresses a message's text links to (`<https://…|label>`), each once, in their order. */
export function linksIn(text: string): string[] {
  const found = [...text.matchAll(/<(https?:\/\/[^<|>\s]+)(?:\|[^<>]*)?>/g)];
  return [...new Set(found.map(([, url = '']) => url.replaceAll('&amp;', '&')))];
}

function domainOf(url: string): string {
  return URL.canParse(url) ? new URL(url).hostname.toLowerCase() : '';
}

/** Names one message among all, for `link_shared` and `chat.unfurl`. */
export function unfurlIdOf(channelId: string, ts: string): string {
  return `${channelId}.${ts}.unfurl`;
}

/** Undefined where the text is no id of ours. */
export function readUnfurlId(unfurlId: string): { channel: string; ts: string } | undefined {
  const match = /^([A-Z0-9]+)\.(\d{10}\.\d{6})\.unfurl$/.exec(unfurlId);
  return match ? { channel: match[1] ?? '', ts: match[2] ?? '' } : undefined;
}

/**
 * `link_shared` for links to a domain that the app registered, or to one below it; not for what the app itself posts
 * (docs.slack.dev/reference/events/link_shared), nor for what people of other organisations do
 * (docs.slack.dev/apis/slack-connect, "App unfurls may surprise you"). Also where the app is not in a public channel.
 */
export function emitLinkShared(workspace: Workspace, change: Change, message: StoredMessage): void {
  const links = ownLinks(workspace, message.content.text);
  if (links.length === 0 || workspace.directory.people.get(message.author)?.teamId !== undefined) return;
  const { channel } = change;
  for (const app of workspace.directory.apps.values()) {
    const isMember = channel.members.has(app.botUserId);
    if (message.content.app_id === app.id || (!isMember && channel.kind !== 'channel')) continue;
    change.emit(
      {
        type: 'link_shared',
        channel: channel.id,
        is_bot_user_member: isMember,
        user: message.author,
        message_ts: message.ts,
        ...(message.thread_ts === null ? {} : { thread_ts: message.thread_ts }),
        unfurl_id: unfurlIdOf(channel.id, message.ts),
        source: 'conversations_history',
        links,
        event_ts: change.ts,
      },
      [app],
    );
  }
}

/** The links of a text that lead to a domain which the app registered. */
function ownLinks({ noise }: Workspace, text: string): { domain: string; url: string }[] {
  return linksIn(text).flatMap((url) => {
    const host = domainOf(url);
    const domain = noise.unfurlDomains.find((known) => host === known || host.endsWith(`.${known}`));
    return domain === undefined ? [] : [{ domain, url }];
  });
}

/**
 * Links in an unsent message: `link_shared` of the composer, which names no message
 * (docs.slack.dev/reference/events/link_shared, `source`). Gives what chat.unfurl is to name; undefined without a link.
 */
export function tellDraft(workspace: Workspace, user: string, text: string): string | undefined {
  const { directory, ids, clock, drafted } = workspace;
  const links = ownLinks(workspace, text);
  if (links.length === 0) return undefined;
  const unfurlId = ids.uuid();
  drafted.set(unfurlId, new Set(links.map(({ url }) => url)));
  workspace.tell(
    {
      type: 'link_shared',
      channel: 'COMPOSER',
      is_bot_user_member: true,
      user,
      message_ts: unfurlId,
      unfurl_id: unfurlId,
      source: 'composer',
      links,
      event_ts: (clock.now().getTime() / 1000).toFixed(6),
    },
    directory.apps.values(),
  );
  return unfurlId;
}

/** Slack's own previews: attachments from the linked pages, as a change without `edited`. */
export function unfurlLinks(workspace: Workspace, channel: Channel, { ts, content }: StoredMessage): void {
  const urls = linksIn(content.text).slice(0, PREVIEWS);
  if (urls.length === 0) return;
  attach(workspace, channel, ts, (known) => [
    ...known,
    ...urls.map((url, index) => ({
      id: known.length + index + 1,
      from_url: url,
      original_url: url,
      service_name: domainOf(url),
      title: domainOf(url),
      title_link: url,
      fallback: domainOf(url),
    })),
  ]);
}

/** A `message_changed` without a change, as Slack sends it after it detects a message's language. */
export function detectLanguage(workspace: Workspace, channel: Channel, ts: string): void {
  attach(workspace, channel, ts, (known) => known);
}

/**
 * Changes a message's attachments without a mark of an edit, and tells the apps. Undefined where there is no such
 * message.
 */
export function attach(
  workspace: Workspace,
  channel: Channel,
  ts: string,
  make: (known: JsonObject[]) => JsonObject[],
): StoredMessage | undefined {
  return workspace.change(channel, (change) => {
    const before = readMessage(change, ts);
    if (!before || before.ephemeral_for !== null) return undefined;
    const attachments = make(before.content.attachments ?? []);
    const after: StoredMessage = {
      ...before,
      content: { ...before.content, ...(attachments.length > 0 ? { attachments } : {}) },
    };
    updateMessage(change, after);
    emitChanged(change, before, after);
    noteOnceDone(workspace, change, after, 'changed');
    return after;
  });
}
