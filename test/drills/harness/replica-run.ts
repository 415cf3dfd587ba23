import { expect } from 'vitest';

import { assertHistory } from '../../harness/history-of.ts';
import { type ProcessWorld, startProcess, startWorld } from '../../harness/world.ts';
import { ACTS, type Conversation, Story } from './story.ts';
import { bridgeSettings } from '../../harness/bridge-settings.ts';

/** The work in each conversation of a round. */
export const ACTS_OF_A_ROUND = 5;

/**
 * Runs several bridges on one database. In each round both sides act in all conversations while one of the
 * bridges is killed; in the end both sides must be the same, in order.
 */
export async function runReplicas(
  {
    bridges: count,
    conversations: atOnce,
    rounds,
  }: { bridges: number; conversations: number; rounds: number },
  random: () => number,
): Promise<void> {
  const base = await startWorld({ ALLOW_PRIVATE_WEBHOOKS: 'true' }, ['service', '--demo']);
  const sandbox = await base.startAlongside(['sandbox']);
  const bridges: ProcessWorld[] = [];
  for (let n = 0; n < count; n++)
    bridges.push(
      await startProcess(
        {
          DATABASE_URL: base.environment['DATABASE_URL'] ?? '',
          SERVICE_URL: base.urls.api,
          ...bridgeSettings(sandbox.urls.sandbox),
          // Webhooks reach only the first one: while it is down the service retries, and all bridges compare
          // both sides.
          ...(bridges[0] ? { PUBLIC_URL: bridges[0].urls.root } : {}),
          RECONCILE_EVERY_SECONDS: '2',
          CHAT_READS_PER_MINUTE: '6000',
        },
        ['bridge'],
      ),
    );
  const story = new Story({ chat: sandbox.chat, service: base.service, serviceUrl: base.urls.api }, random);
  const conversations: Conversation[] = [];
  for (let n = 0; n < atOnce; n++) conversations.push(await story.begin());
  await story.settled();

  for (let kills = 0; kills < rounds; kills++) {
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
    await story.settled();
  }
  await sandbox.chat.repeatAll();
  await base.untilBridgeIdle();
  for (const conversation of story.conversations) expect(await story.trouble(conversation)).toEqual([]);
  await assertHistory({ ...base, chat: sandbox.chat, replicas: true });

  function pick<Item>(items: readonly Item[]): Item {
    return items[Math.floor(random() * items.length)] as Item;
  }
}
