import { z } from 'zod';

import type { Probe } from './probe.ts';
import { CannotTry, read } from './read.ts';
import { outcomeOf } from './workbench.ts';

const STYLED = '*bold* _slanted_ `code` <https://example.com|link>\n• one\n• two';

/** How a post comes back: its editor, its blocks, its text. */
export const POST_PROBES: readonly Probe[] = [
  {
    fact: "The editor of a bot's text update is the bot user",
    tries: 'who `edited` names after a text update',
    expected: 'the bot user',
    async run(bench) {
      const { ts } = await bench.post({ text: 'before' });
      await bench.must('chat.update', { channel: bench.channel, ts, text: 'after' });
      const edited = z.object({ user: z.string() }).safeParse((await bench.inHistory(ts))?.['edited']).data;
      return edited?.user === bench.bot.userId ? 'the bot user' : (edited?.user ?? 'nobody');
    },
  },
  {
    fact: 'NUL and half characters in a call become U+FFFD',
    tries: 'NUL in the text of a post',
    expected: 'a\uFFFDb',
    async run(bench) {
      return (await bench.post({ text: 'a\0b' })).message['text'];
    },
  },
  {
    fact: '`chat.meMessage` gives `channel` and `ts`; its message has `subtype: me_message` and no blocks',
    tries: 'subtype and blocks of the message in the history',
    expected: { subtype: 'me_message', blocks: undefined },
    async run(bench) {
      const given = await bench.must('chat.meMessage', { channel: bench.channel, text: 'looks at this' });
      const { ts } = read(z.object({ ts: z.string() }), given);
      bench.deleteLater(ts);
      const message = await bench.inHistory(ts);
      return { subtype: message?.['subtype'], blocks: message?.['blocks'] };
    },
  },
  {
    fact: '`markdown_text` together with `text` or `blocks`: `markdown_text_conflict`; it is kept as one `markdown` block',
    tries: 'the `text` of a post by `markdown_text`',
    expected: 'this is **bold**',
    async run(bench) {
      return (await bench.post({ markdown_text: 'this is **bold**' })).message['text'];
    },
  },
  {
    fact: 'A text post of an app gets a `rich_text` block made from it',
    tries: 'the elements for styles, a link and a list typed by hand',
    expected: [
      {
        type: 'rich_text_section',
        elements: [
          { type: 'text', text: 'bold', style: { bold: true } },
          { type: 'text', text: ' ' },
          { type: 'text', text: 'slanted', style: { italic: true } },
          { type: 'text', text: ' ' },
          { type: 'text', text: 'code', style: { code: true } },
          { type: 'text', text: ' ' },
          { type: 'link', url: 'https://example.com', text: 'link' },
          { type: 'text', text: '\n• one\n• two' },
        ],
      },
    ],
    async run(bench) {
      const { message } = await bench.post({ text: STYLED, unfurl_links: false });
      const blocks = z.array(z.looseObject({ elements: z.unknown() })).safeParse(message['blocks']).data;
      return blocks?.[0]?.elements;
    },
  },
  {
    fact: '`conversations.setTopic`, `.setPurpose`: at most 250 characters (`too_long`); the same again says nothing in the channel',
    tries: 'setting the topic to what it is already',
    expected: 'no new line',
    async run(bench) {
      const { channel } = read(
        z.object({ channel: z.object({ topic: z.object({ value: z.string() }) }) }),
        await bench.must('conversations.info', { channel: bench.channel }),
      );
      if (channel.topic.value === '') throw new CannotTry('the channel has no topic: give it one');
      const { ts } = await bench.post({ text: 'before the topic' });
      await bench.must('conversations.setTopic', { channel: bench.channel, topic: channel.topic.value });
      const after = read(
        z.object({ messages: z.array(z.looseObject({ subtype: z.string().optional() })) }),
        await bench.must('conversations.history', { channel: bench.channel, oldest: ts }),
      );
      return after.messages.some(({ subtype }) => subtype === 'channel_topic') ? 'a new line' : 'no new line';
    },
  },
  {
    fact: "The same refusals for `chat.postMessage` to a person's id",
    tries: "a post to the bot's own user id",
    expected: 'cannot_dm_bot',
    run: (bench) => bench.outcomeOfPost({ channel: bench.bot.userId, text: 'to myself' }),
  },
  {
    fact: '`not_authed` without a token, `invalid_auth` with an unknown one, `not_allowed_token_type` with the wrong kind, `unknown_method`',
    tries: '`apps.connections.open` with a bot token',
    expected: 'not_allowed_token_type',
    run: async (bench) => outcomeOf(await bench.call('apps.connections.open')),
  },
];
