import { expect, test } from 'vitest';

import { Story } from '../drills/harness/story.ts';
import { startTappedBridge } from '../drills/harness/tapped-bridge.ts';
import { seeded } from '../harness/seeded.ts';

test('B52 F2 the bridge is killed after chat has posted and before it gets the response: nothing is lost, doubled, out of order or wrong', async () => {
  const world = await startTappedBridge();
  const story = new Story(world, seeded(20_261_121));
  const conversation = await story.begin();
  await story.settled();
  await world.untilBridgeIdle();
  const killed = world.killWhere(
    ({ when, request }) => when === 'answered' && request === 'POST /api/chat.postMessage',
  );
  await story.act('answer', conversation);
  await story.act('reply', conversation);
  await killed;
  await story.act('answer', conversation);
  await world.bridge.restart();
  await story.settled();
  // Everything that Slack repeats has arrived: nothing may change any more.
  await world.chat.post('clock', { advance: '10m' });
  await world.untilBridgeIdle();
  expect(await story.trouble(conversation)).toEqual([]);
});
