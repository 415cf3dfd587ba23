import { z } from 'zod';

import { emojiAddress } from '../../workspace/custom-emoji.ts';
import { flag } from '../arguments.ts';
import { method } from '../method.ts';

/** docs.slack.dev/reference/methods/emoji.list: only the custom ones, by name. */
export const EMOJI = [
  method('emoji.list', z.object({ include_categories: flag.optional() }), async ({ workspace, baseUrl }) => ({
    emoji: Object.fromEntries(
      [...workspace.directory.emoji].map(([name, value]) => [name, emojiAddress(baseUrl, name, value)]),
    ),
    cache_ts: String(workspace.clock.now().getTime() / 1000),
  })),
];
