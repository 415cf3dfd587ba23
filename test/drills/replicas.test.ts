import { describe, expect, test } from 'vitest';

import { DEMO } from '../../src/demo.ts';
import { seeded } from '../harness/seeded.ts';
import { startProcess, type ProcessWorld } from '../harness/world.ts';
import { ACTS, type Conversation, Story } from './story.ts';

const RUNS = Number(process.env['FAULT_RUNS'] ?? 16);
/** Conversations that are talked in at the same time. */
const AT_ONCE = 6;

describe('B53 several bridges share the work', () => {
  test.each([2, 4])(
    'with %i bridges, killed one after the other while both sides talk: nothing is lost, doubled, out of order or wrong',
    { timeout: 120_000 + RUNS * 10_000 },
    async (count) => {
      const seed = Math.floor(Math.random() * 2 ** 32);
      const random = seeded(seed);
      const base = await startProcess({ ALLOW_PRIVATE_WEBHOOKS: 'true' }, ['service', '--demo']);
      const sandbox = await base.beside(['sandbox']);
      const bridges: ProcessWorld[] = [];
      for (let n = 0; n < count; n++)
        bridges.push(
          await base.beside(['bridge'], {
            SERVICE_WEBHOOK_SECRET: 'a-webhook-secret-of-the-fault-tests',
            SLACK_API_URL: `${sandbox.urls.sandbox}/api`,
            SLACK_BOT_TOKEN: DEMO.app.botToken,
            SLACK_APP_TOKEN: DEMO.app.appToken,
            // Webhooks reach the first one alone: while it is down the service tries again, and all compare both sides.
            ...(bridges[0] ? { PUBLIC_URL: bridges[0].urls.root } : {}),
            RECONCILE_EVERY_SECONDS: '2',
            CHAT_READS_PER_MINUTE: '6000',
          }),
        );
      const story = new Story(
        { chat: sandbox.chat, service: base.service, serviceUrl: base.urls.api },
        random,
      );
      const conversations: Conversation[] = [];
      for (let n = 0; n < AT_ONCE; n++) conversations.push(await story.begin());
      await story.settled();

      let runs = 0;
      for (let kills = 0; runs < RUNS * 2; kills++) {
        const talking = Promise.all(
          conversations.map(async (conversation) => {
            for (const act of ['reply', 'answer', pick(ACTS), 'answer', 'reply'] as const)
              await story.act(act, conversation);
          }),
        );
        const victim = bridges[kills % count];
        await victim?.kill();
        await talking;
        await victim?.restart();
        runs += AT_ONCE * 5;
        await story.settled();
      }
      await sandbox.chat.post('clock', { advance: '10m' });
      await base.idle();
      for (const conversation of story.conversations) expect(await story.trouble(conversation)).toEqual([]);
      console.info(
        `replicas: ${count} bridges, seed ${seed}, ${runs} acts: lost 0, doubled 0, out of order 0`,
      );

      function pick<Item>(items: readonly Item[]): Item {
        return items[Math.floor(random() * items.length)] as Item;
      }
    },
  );
});
