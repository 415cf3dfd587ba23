import { z } from 'zod';

import { LIMITS } from '../limits.ts';
import type { Probe } from './probe.ts';
import { outcomeOf, type Workbench } from './workbench.ts';

/** Known everywhere, and more of them than the limit. */
const EMOJI = [
  ...[
    '+1',
    '-1',
    'eyes',
    'tada',
    'fire',
    'heart',
    'wave',
    'rocket',
    'bug',
    'cat',
    'dog',
    'fish',
    'star',
    'sunny',
  ],
  ...['cloud', 'snowflake', 'umbrella', 'key', 'lock', 'bell', 'book', 'bulb', 'clock1', 'gift', 'hammer'],
];
const DAY_SECONDS = 86_400;

/** From where on something is too much. */
export const LIMIT_PROBES: readonly Probe[] = [
  {
    fact: '`msg_blocks_too_long` from about 13,200 characters in all blocks',
    tries: 'a post at the limit, and one character above',
    expected: ['ok', 'msg_blocks_too_long'],
    async run(bench) {
      const { allBlocksChars } = LIMITS;
      return [
        await bench.outcomeOfPost({ text: 'long', blocks: sections(allBlocksChars) }),
        await bench.outcomeOfPost({ text: 'long', blocks: sections(allBlocksChars + 1) }),
      ];
    },
  },
  {
    fact: '`invalid_metadata_format`, `invalid_metadata_schema`, `metadata_too_large`',
    tries: 'metadata at the limit, and one character above',
    expected: ['ok', 'metadata_too_large'],
    async run(bench) {
      const { metadataChars } = LIMITS;
      return [
        await bench.outcomeOfPost({ text: 'metadata', metadata: metadata(metadataChars) }),
        await bench.outcomeOfPost({ text: 'metadata', metadata: metadata(metadataChars + 1) }),
      ];
    },
  },
  {
    fact: '`reactions.add`: `already_reacted`, `too_many_emoji`, `bad_timestamp`, `invalid_name`; `reactions.remove`: `no_reaction`',
    tries: 'how many kinds of emoji a message takes',
    expected: { taken: LIMITS.emojiPerMessage, then: 'too_many_emoji' },
    async run(bench) {
      const { ts } = await bench.post({ text: 'emoji' });
      let taken = 0;
      for (const name of EMOJI) {
        const given = await bench.call('reactions.add', { channel: bench.channel, timestamp: ts, name });
        if (!given.ok) return { taken, then: given.error };
        taken += 1;
      }
      return { taken, then: 'ok' };
    },
  },
  {
    fact: '`chat.scheduleMessage`: `time_in_past`, `time_too_far` beyond 120 days, `restricted_too_many` beyond 30 in five minutes; what carries metadata is never posted (a known bug)',
    tries: 'a time of 0, and which of the thirty before and after count',
    expected: { zero: 'invalid_time', lastOfFiveMinutes: 'restricted_too_many', fiveMinutesLater: 'ok' },
    async run(bench) {
      const zero = await schedule(bench, 0);
      // Far off, so that nothing is posted before it is taken back.
      const at = Math.floor(bench.clock.now().getTime() / 1000) + DAY_SECONDS;
      for (let index = 0; index < LIMITS.scheduledPerWindow; index += 1) await schedule(bench, at);
      return {
        zero,
        lastOfFiveMinutes: await schedule(bench, at + LIMITS.scheduleWindowSeconds - 1),
        fiveMinutesLater: await schedule(bench, at + LIMITS.scheduleWindowSeconds),
      };
    },
  },
];

/** Section blocks with exactly so many characters. */
function sections(chars: number): unknown[] {
  const { sectionTextChars } = LIMITS;
  return Array.from({ length: Math.ceil(chars / sectionTextChars) }, (_, index) => ({
    type: 'section',
    text: {
      type: 'plain_text',
      text: 'x'.repeat(Math.min(sectionTextChars, chars - index * sectionTextChars)),
    },
  }));
}

/** Metadata that has exactly so many characters as JSON. */
function metadata(chars: number): unknown {
  const make = (fill: string) => ({ event_type: 'live_facts', event_payload: { fill } });
  return make('x'.repeat(chars - JSON.stringify(make('')).length));
}

async function schedule(bench: Workbench, at: number): Promise<string> {
  const { channel } = bench;
  const given = await bench.call('chat.scheduleMessage', { channel, post_at: at, text: 'never posted' });
  const scheduled = z.object({ scheduled_message_id: z.string() }).safeParse(given).data;
  if (scheduled)
    bench.afterwards(`the scheduled message ${scheduled.scheduled_message_id}`, () =>
      bench.call('chat.deleteScheduledMessage', { channel, ...scheduled }),
    );
  return outcomeOf(given);
}
