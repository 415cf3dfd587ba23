import { z } from 'zod';

import { LIMITS } from './limits.ts';
import { type Answer, type Bench, BYTES, CannotTry, needed } from './live-bench.ts';

const DAY_SECONDS = 86_400;

/**
 * The row's behaviour word for word, what of it is tried, what Slack gives if it does as the sandbox, and how to see
 * it.
 */
type Probe = readonly [
  fact: string,
  tries: string,
  expected: unknown,
  run: (bench: Bench) => Promise<unknown>,
];

const text = (value: string, style?: string) => ({
  type: 'text',
  text: value,
  ...(style ? { style: { [style]: true } } : {}),
});
/** Section blocks with exactly so many characters. */
const sections = (chars: number) =>
  Array.from({ length: Math.ceil(chars / LIMITS.sectionTextChars) }, (_, index) => {
    const length = Math.min(LIMITS.sectionTextChars, chars - index * LIMITS.sectionTextChars);
    return { type: 'section', text: { type: 'plain_text', text: 'x'.repeat(length) } };
  });
/** Metadata that has exactly so many characters as JSON. */
const metadata = (chars: number) => {
  const make = (fill: string) => ({ event_type: 'live_facts', event_payload: { fill } });
  return make('x'.repeat(chars - JSON.stringify(make('')).length));
};
/** Known everywhere, and more of them than the limit. */
const EMOJI =
  '+1 -1 eyes tada fire heart wave rocket bug cat dog fish star sunny cloud snowflake umbrella key lock bell book bulb clock1 gift hammer';
const shownAt = ({ shares: places }: NonNullable<Answer['file']>) =>
  Object.values({ ...places?.public, ...places?.private }).flat()[0]?.ts;

/** The channel's name as people write it. */
async function namedChannel(bench: Bench): Promise<string> {
  const { channel } = await bench.must('conversations.info', { channel: bench.channel });
  return `#${z.object({ name: z.string() }).parse(channel).name}`;
}
/** Whether a part of a message leads to the channel. */
const isLinked = (part: unknown, { channel }: Bench) => {
  const shown = JSON.stringify(part ?? '');
  return shown.includes(`<#${channel}`) || shown.includes(`"channel_id":"${channel}"`);
};

/**
 * Every assumed row of `slack-facts.md` that a bot token can try in one channel; the rest is listed there, with why.
 */
export const PROBES: readonly Probe[] = [
  [
    "The editor of a bot's text update is the bot user",
    'who `edited` names after a text update',
    'the bot user',
    async (bench) => {
      const { ts } = await bench.post('before');
      await bench.must('chat.update', { channel: bench.channel, ts, text: 'after' });
      const edited = z.object({ user: z.string() }).safeParse((await bench.inHistory(ts))?.['edited']).data;
      return edited?.user === bench.botId ? 'the bot user' : (edited?.user ?? 'nobody');
    },
  ],
  [
    "In an app's text Slack marks up what it finds: addresses; with `link_names` or `parse: full` also `#channel`, `@group` and `@here`, `@channel`, `@everyone`; with `parse: none` nothing; `full` takes all marks for characters",
    'whether the channel’s name leads there: by default, with `link_names`, with that and `parse: none`, with `parse: full`',
    [false, true, true, true],
    async (bench) => {
      const name = await namedChannel(bench);
      const seen: boolean[] = [];
      for (const more of [{}, { link_names: true }, { link_names: true, parse: 'none' }, { parse: 'full' }]) {
        const { ts } = await bench.post(`in ${name}`, more);
        seen.push(isLinked(await bench.inHistory(ts), bench));
      }
      return seen;
    },
  ],
  [
    '`chat.update` without `parse` is read as if `client`: names are found',
    'whether the channel’s name leads there: without `parse`, with `parse: none`',
    [true, false],
    async (bench) => {
      const { ts } = await bench.post('before');
      const change = { channel: bench.channel, ts, text: `in ${await namedChannel(bench)}` };
      await bench.must('chat.update', change);
      const first = isLinked(await bench.inHistory(ts), bench);
      await bench.must('chat.update', { ...change, parse: 'none' });
      return [first, isLinked(await bench.inHistory(ts), bench)];
    },
  ],
  [
    'In blocks, a mrkdwn text of a section or context that is not `verbatim` is marked up so, names included; in views, too',
    'whether the channel’s name in a section leads there: without `verbatim`, with it',
    [true, false],
    async (bench) => {
      const text = `in ${await namedChannel(bench)}`;
      const seen: boolean[] = [];
      for (const verbatim of [false, true]) {
        const blocks = [
          {
            type: 'section',
            text: {
              type: 'mrkdwn',
              text,
              verbatim,
            },
          },
        ];
        const { ts } = await bench.post('a section', { blocks });
        seen.push(isLinked(await bench.inHistory(ts), bench));
      }
      return seen;
    },
  ],
  [
    'NUL and half characters in a call become U+FFFD',
    'NUL in the text of a post',
    'a\uFFFDb',
    async (bench) => (await bench.post('a\0b')).message['text'],
  ],
  [
    '`chat.meMessage` gives `channel` and `ts`; its message has `subtype: me_message` and no blocks',
    'subtype and blocks of the message in the history',
    { subtype: 'me_message', blocks: undefined },
    async (bench) => {
      const ts = needed(
        (await bench.must('chat.meMessage', { channel: bench.channel, text: 'looks at this' })).ts,
      );
      bench.deleteLater(ts);
      const found = await bench.inHistory(ts);
      return { subtype: found?.['subtype'], blocks: found?.['blocks'] };
    },
  ],
  [
    '`markdown_text` together with `text` or `blocks`: `markdown_text_conflict`; it is kept as one `markdown` block',
    'the `text` of a post by `markdown_text`',
    'this is **bold**',
    async (bench) =>
      (await bench.post('', { text: undefined, markdown_text: 'this is **bold**' })).message['text'],
  ],
  [
    'A text post of an app gets a `rich_text` block made from it',
    'the elements for styles, a link and a list typed by hand',
    [
      {
        type: 'rich_text_section',
        elements: [
          text('bold', 'bold'),
          text(' '),
          text('slanted', 'italic'),
          text(' '),
          text('code', 'code'),
          text(' '),
          { type: 'link', url: 'https://example.com', text: 'link' },
          text('\n• one\n• two'),
        ],
      },
    ],
    async (bench) => {
      const styled = '*bold* _slanted_ `code` <https://example.com|link>\n• one\n• two';
      const { blocks } = (await bench.post(styled, { unfurl_links: false })).message;
      return z.array(z.looseObject({ elements: z.unknown() })).safeParse(blocks).data?.[0]?.elements;
    },
  ],
  [
    '`conversations.setTopic`, `.setPurpose`: at most 250 characters (`too_long`); the same again says nothing in the channel',
    'setting the topic to what it is already',
    'no new line',
    async (bench) => {
      const { channel } = bench;
      const info = await bench.must('conversations.info', { channel });
      const known = z
        .object({ topic: z.object({ value: z.string().min(1) }) })
        .safeParse(info['channel']).data;
      if (!known) throw new CannotTry('the channel has no topic: give it one');
      const { ts } = await bench.post('before the topic');
      await bench.must('conversations.setTopic', { channel, topic: known.topic.value });
      const { messages } = await bench.must('conversations.history', { channel, oldest: ts });
      return messages?.some((one) => one['subtype'] === 'channel_topic') ? 'a new line' : 'no new line';
    },
  ],
  [
    "The same refusals for `chat.postMessage` to a person's id",
    "a post to the bot's own user id",
    'cannot_dm_bot',
    (bench) => bench.outcomeOfPost({ channel: bench.botId, text: 'to myself' }),
  ],
  [
    '`not_authed` without a token, `invalid_auth` with an unknown one, `not_allowed_token_type` with the wrong kind, `unknown_method`',
    '`apps.connections.open` with a bot token',
    'not_allowed_token_type',
    (bench) => bench.outcome('apps.connections.open'),
  ],
  [
    '`conversations.replies` with the ts of a reply gives that reply alone; of nothing, `thread_not_found`',
    'the ts of a reply',
    ['reply'],
    async (bench) => {
      const { ts } = await bench.post('root');
      const reply = await bench.post('reply', { thread_ts: ts });
      return (await bench.replies(reply.ts)).map((one) => one['text']);
    },
  ],
  [
    '`thread_ts` that names a reply means the thread of that reply',
    'the `thread_ts` of a post that names a reply',
    'the root',
    async (bench) => {
      const root = await bench.post('root');
      const reply = await bench.post('reply', { thread_ts: root.ts });
      const { thread_ts } = (await bench.post('reply of a reply', { thread_ts: reply.ts })).message;
      return thread_ts === root.ts
        ? 'the root'
        : thread_ts === reply.ts
          ? 'the reply'
          : (thread_ts ?? 'no thread');
    },
  ],
  [
    'A post into the thread of a tombstone stays in the thread',
    'a reply to a root that was deleted',
    ['tombstone', 'first', 'second'],
    async (bench) => {
      const { root } = await bench.tombstone();
      await bench.post('second', { thread_ts: root });
      return (await bench.replies(root)).map((one) => one['subtype'] ?? one['text']);
    },
  ],
  [
    'The tombstone goes when its last reply is deleted, without an event',
    'the history after the last reply is deleted (not: the event)',
    { before: 'tombstone', after: 'gone' },
    async (bench) => {
      const { root, reply } = await bench.tombstone();
      const before = (await bench.inHistory(root))?.['subtype'];
      await bench.must('chat.delete', { channel: bench.channel, ts: reply });
      const after = await bench.inHistory(root);
      return { before, after: after ? (after['subtype'] ?? 'a message') : 'gone' };
    },
  ],
  [
    '`msg_blocks_too_long` from about 13,200 characters in all blocks',
    'a post at the limit, and one character above',
    ['ok', 'msg_blocks_too_long'],
    async (bench) => [
      await bench.outcomeOfPost({ text: 'long', blocks: sections(LIMITS.allBlocksChars) }),
      await bench.outcomeOfPost({ text: 'long', blocks: sections(LIMITS.allBlocksChars + 1) }),
    ],
  ],
  [
    '`invalid_metadata_format`, `invalid_metadata_schema`, `metadata_too_large`',
    'metadata at the limit, and one character above',
    ['ok', 'metadata_too_large'],
    async (bench) => [
      await bench.outcomeOfPost({ text: 'metadata', metadata: metadata(LIMITS.metadataChars) }),
      await bench.outcomeOfPost({ text: 'metadata', metadata: metadata(LIMITS.metadataChars + 1) }),
    ],
  ],
  [
    '`reactions.add`: `already_reacted`, `too_many_emoji`, `bad_timestamp`, `invalid_name`; `reactions.remove`: `no_reaction`',
    'how many kinds of emoji a message takes',
    { taken: LIMITS.emojiPerMessage, refused: 'too_many_emoji' },
    async (bench) => {
      const { ts } = await bench.post('emoji');
      for (const [taken, name] of EMOJI.split(' ').entries()) {
        const outcome = await bench.outcome('reactions.add', { channel: bench.channel, timestamp: ts, name });
        if (outcome !== 'ok') return { taken, refused: outcome };
      }
      return 'all were taken';
    },
  ],
  [
    '`chat.scheduleMessage`: `time_in_past`, `time_too_far` beyond 120 days, `restricted_too_many` beyond 30 in five minutes; what carries metadata is never posted (a known bug)',
    'a time of 0, and which of the thirty before and after count',
    { zero: 'invalid_time', lastOfFiveMinutes: 'restricted_too_many', fiveMinutesLater: 'ok' },
    async (bench) => {
      const schedule = (post_at: number) =>
        bench.outcome('chat.scheduleMessage', { channel: bench.channel, post_at, text: 'never posted' });
      const zero = await schedule(0);
      // A day ahead, so that it is deleted before it is posted.
      const at = Math.floor(bench.options.clock.now().getTime() / 1000) + DAY_SECONDS;
      for (let index = 0; index < LIMITS.scheduledPerWindow; index += 1) await schedule(at);
      const lastOfFiveMinutes = await schedule(at + LIMITS.scheduleWindowSeconds - 1);
      return { zero, lastOfFiveMinutes, fiveMinutesLater: await schedule(at + LIMITS.scheduleWindowSeconds) };
    },
  ],
  [
    'A deactivated person has `deleted: true`, and no time zone and no flags',
    'which of these fields users.list has for someone who is deactivated',
    [],
    async (bench) => {
      const gone = await bench.deactivated(() => true);
      const leftOut = 'tz tz_label tz_offset is_admin is_owner is_restricted is_ultra_restricted';
      return leftOut.split(' ').filter((field) => field in gone);
    },
  ],
  [
    '`users.lookupByEmail` finds neither the deactivated nor people of other organisations (`users_not_found`)',
    'the address of someone who is deactivated',
    'users_not_found',
    async (bench) => {
      const { email } = (await bench.deactivated(({ profile }) => profile.email !== undefined)).profile;
      return bench.outcome('users.lookupByEmail', { email });
    },
  ],
  [
    '`conversations.invite`: up to 1,000; one who cannot be invited keeps out all, unless `force`; `errors` names each',
    'which error leads, for nobody and the bot itself in either order',
    ['user_not_found', 'cant_invite_self'],
    async (bench) => {
      const invite = (users: string) =>
        bench.outcome('conversations.invite', { channel: bench.channel, users });
      return [await invite(`U00000000,${bench.botId}`), await invite(`${bench.botId},U00000000`)];
    },
  ],
  [
    '`views.publish`: ``invalid `user_id` `` for nobody or a bot; a `hash` where no Home is, is `hash_conflict`',
    'a Home for the bot itself',
    { error: 'invalid_arguments', messages: ['invalid `user_id`'] },
    async (bench) => {
      const view = { type: 'home', blocks: [] };
      const { error, response_metadata } = await bench.call('views.publish', { user_id: bench.botId, view });
      if (error === 'not_enabled') throw new CannotTry("the app's Home tab is switched off");
      return { error, messages: response_metadata?.messages };
    },
  ],
  [
    'The upload address answers `OK - ` and the size; 404 where nobody waits for bytes',
    'the answer to five bytes, and to five more when the file is complete',
    ['200 OK - 5', '404'],
    async (bench) => {
      const file = await bench.file('probe.txt');
      const first = await file.send();
      await file.complete();
      return [first, (await file.send()).slice(0, 3)];
    },
  ],
  [
    'What is sent may be of another size than was said; the real one counts',
    'ten bytes said, five sent',
    BYTES.length,
    async (bench) => {
      const file = await bench.file('probe.txt', { length: 10 });
      await file.send();
      await file.complete();
      return (await file.info()).size;
    },
  ],
  [
    "Completing twice, another's file, or one without bytes: `file_not_found`; no room: `storage_limit_reached`",
    'completing without bytes, and twice',
    { withoutBytes: 'file_not_found', twice: 'file_not_found' },
    async (bench) => {
      const withoutBytes = await (await bench.file('empty.txt')).complete();
      const file = await bench.file('probe.txt');
      await file.send();
      await file.complete();
      return { withoutBytes, twice: await file.complete() };
    },
  ],
  [
    'Kinds go by how a name ends, not by the bytes',
    'plain text by the name of probe.png',
    'png',
    async (bench) => {
      const file = await bench.file('probe.png');
      await file.send();
      await file.complete();
      return (await file.info(({ filetype }) => filetype !== '')).filetype;
    },
  ],
  [
    'A message whose only file was deleted stays',
    'the history after the file is deleted',
    'stays',
    async (bench) => {
      const file = await bench.file('probe.txt', { channel: bench.channel });
      await file.send();
      await file.complete();
      const ts = shownAt(await file.info((found) => shownAt(found) !== undefined));
      if (ts === undefined) throw new CannotTry('the file was not shown in time');
      bench.deleteLater(ts);
      await bench.must('files.delete', { file: file.id });
      return (await bench.inHistory(ts)) ? 'stays' : 'gone';
    },
  ],
];
