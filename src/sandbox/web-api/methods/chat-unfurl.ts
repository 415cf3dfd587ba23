import { z } from 'zod';

import { checkBlocks } from '../../blocks/check.ts';
import { parseAttachments, PARSING } from '../../rich-text/automatic.ts';
import type { JsonObject } from '../../workspace/content.ts';
import { attach, linksIn, readUnfurlId } from '../../workspace/links.ts';
import { findMessage } from '../../workspace/message-store.ts';
import { readingOf } from '../../workspace/reading.ts';
import { channelFor, json, jsonObject, method, SlackError, text } from '../method.ts';

/** docs.slack.dev/reference/methods/chat.unfurl */
export const CHAT_UNFURL = [
  method(
    'chat.unfurl',
    {
      channel: text.optional(),
      ts: text.optional(),
      unfurl_id: text.optional(),
      source: text.optional(),
      unfurls: json(z.record(z.string(), jsonObject)).optional(),
    },
    async (call, args) => {
      const { workspace, app } = call;
      const drafted = args.source === 'composer' ? workspace.drafted.get(args.unfurl_id ?? '') : undefined;
      if (drafted) {
        checkUnfurls(args.unfurls, (url) => drafted.has(url));
        return {};
      }
      const place =
        args.channel && args.ts
          ? { channel: args.channel, ts: args.ts }
          : args.unfurl_id && args.source
            ? readUnfurlId(args.unfurl_id)
            : undefined;
      if (!place) throw new SlackError(args.unfurl_id ? 'invalid_unfurl_id' : 'cannot_find_message');
      if (!workspace.directory.channels.has(place.channel)) throw new SlackError('cannot_find_channel');
      const channel = channelFor(call, place.channel);
      const message = findMessage(workspace.db, channel.id, place.ts);
      if (!message) throw new SlackError('cannot_find_message');
      const links = linksIn(message.content.text);
      const wanted = checkUnfurls(args.unfurls, (url) => links.includes(url));
      attach(workspace, channel, place.ts, (known) => {
        // A second call for the same link replaces its attachment.
        const others = known.filter(({ app_unfurl_url }) => !wanted.some(([url]) => url === app_unfurl_url));
        const reading = readingOf(workspace.directory, false);
        return [
          ...others,
          ...wanted.map(([url, unfurl], index): JsonObject => ({
            fallback: '[no preview available]',
            ...parseAttachments([unfurl], PARSING['chat.postMessage'], reading)[0],
            id: others.length + index + 1,
            bot_id: app.botId,
            app_id: app.id,
            app_unfurl_url: url,
            is_app_unfurl: true,
          })),
        ];
      });
      return {};
    },
  ),
];

/** Returns the previews by link. Throws SlackError if one is invalid, or its link is not in the message. */
function checkUnfurls(
  unfurls: Record<string, JsonObject> | undefined,
  isInMessage: (url: string) => boolean,
): [url: string, unfurl: JsonObject][] {
  if (!unfurls) throw new SlackError('missing_unfurls');
  const wanted = Object.entries(unfurls);
  for (const [url, unfurl] of wanted) {
    if (!isInMessage(url)) throw new SlackError('cannot_unfurl_url');
    if (unfurl['blocks'] !== undefined && !checkBlocks(unfurl['blocks']).ok)
      throw new SlackError('invalid_unfurls_format');
  }
  return wanted;
}
