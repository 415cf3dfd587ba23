import { z } from 'zod';

import type { Probe } from './probe.ts';
import { CannotTry, read } from './read.ts';
import { outcomeOf, type Workbench } from './workbench.ts';

const NOBODY = 'U00000000';
const LEFT_OUT = [
  'tz',
  'tz_label',
  'tz_offset',
  'is_admin',
  'is_owner',
  'is_restricted',
  'is_ultra_restricted',
];

const user = z.looseObject({
  id: z.string(),
  deleted: z.boolean().default(false),
  is_bot: z.boolean().default(false),
  profile: z.object({ email: z.string().optional() }).default({}),
});
type User = z.output<typeof user>;

/** People as the workspace has them: nobody is written to and nobody is invited. */
export const PEOPLE_PROBES: readonly Probe[] = [
  {
    fact: 'A deactivated person has `deleted: true`, and no time zone and no flags',
    tries: 'which of these fields users.list has for someone who is deactivated',
    expected: [],
    async run(bench) {
      const gone = await deactivated(bench, () => true);
      return LEFT_OUT.filter((field) => field in gone);
    },
  },
  {
    fact: '`users.lookupByEmail` finds neither the deactivated nor people of other organisations (`users_not_found`)',
    tries: 'the address of someone who is deactivated',
    expected: 'users_not_found',
    async run(bench) {
      const { profile } = await deactivated(bench, ({ profile: { email } }) => email !== undefined);
      return outcomeOf(await bench.call('users.lookupByEmail', { email: profile.email }));
    },
  },
  {
    fact: '`conversations.invite`: up to 1,000; one who cannot be invited keeps out all, unless `force`; `errors` names each',
    tries: 'which error leads, for nobody and the bot itself in either order',
    expected: ['user_not_found', 'cant_invite_self'],
    async run(bench) {
      const invite = async (...users: string[]) =>
        outcomeOf(
          await bench.call('conversations.invite', { channel: bench.channel, users: users.join(',') }),
        );
      return [await invite(NOBODY, bench.bot.userId), await invite(bench.bot.userId, NOBODY)];
    },
  },
  {
    fact: '`views.publish`: ``invalid `user_id` `` for nobody or a bot; a `hash` where no Home is, is `hash_conflict`',
    tries: 'a Home for the bot itself',
    expected: { error: 'invalid_arguments', messages: ['invalid `user_id`'] },
    async run(bench) {
      const view = { type: 'home', blocks: [] };
      const given = await bench.call('views.publish', { user_id: bench.bot.userId, view });
      if (given.error === 'not_enabled') throw new CannotTry("the app's Home tab is switched off");
      const meta = z.object({ messages: z.array(z.string()) }).safeParse(given['response_metadata']).data;
      return { error: given.error, messages: meta?.messages };
    },
  },
];

const PAGES = 20;

/** The first person who is deactivated and fits, in what may be many pages. */
async function deactivated(bench: Workbench, fits: (user: User) => boolean): Promise<User> {
  let cursor = '';
  for (let pageNumber = 0; pageNumber < PAGES; pageNumber += 1) {
    const given = await bench.must('users.list', { limit: 200, ...(cursor === '' ? {} : { cursor }) });
    const { members, response_metadata } = read(
      z.object({
        members: z.array(user),
        response_metadata: z.object({ next_cursor: z.string().default('') }).default({ next_cursor: '' }),
      }),
      given,
    );
    const found = members.find((one) => one.deleted && !one.is_bot && fits(one));
    if (found) return found;
    cursor = response_metadata.next_cursor;
    if (cursor === '') break;
  }
  throw new CannotTry('nobody who is deactivated, and shows an address where that is asked for, was found');
}
