import { expect, test } from 'vitest';

import { assertHistory } from '../harness/history-of.ts';
import { seeded } from '../harness/seeded.ts';
import { LONG } from './drill.ts';
import { type Conversation, Story } from './harness/story.ts';
import { startTappedBridge } from './harness/tapped-bridge.ts';

/** An hour of a busy help desk; a tenth of it in a short run. */
const SHARE = LONG ? 1 : 0.1;
const MESSAGES = 500 * SHARE;
const EDITS = 60 * SHARE;
const DELETIONS = 20 * SHARE;
const OLD_REPLIES = 40 * SHARE;
const THREADS = 20;

test('B50 after an hour of downtime without a single event, every change is found, once and in order, within the budget of reads', async () => {
  const world = await startTappedBridge();
  const { chat } = world;
  const story = new Story(world, seeded(1));
  const old: Conversation[] = [];
  for (let n = 0; n < THREADS; n++) old.push(await story.begin());
  await story.settled();
  await world.untilBridgeIdle();

  await chat.post('faults', { events: [{ kind: 'drop', times: null }] });
  await world.bridge.kill();
  const of = (n: number) => old[n % THREADS] as Conversation;
  const fresh: Conversation[] = [];
  for (let n = 0; n < MESSAGES; n++) {
    if (n % 25 === 0) fresh.push(await story.create());
    else await story.act('reply', fresh.at(-1) ?? of(n));
  }
  for (let n = 0; n < OLD_REPLIES; n++) await story.act('reply', of(n));
  for (let n = 0; n < EDITS; n++) await story.act(n % 3 === 0 ? 'edit answer' : 'edit', of(n));
  for (let n = 0; n < DELETIONS; n++) await story.act(n % 3 === 0 ? 'delete answer' : 'delete', of(n));
  await chat.post('faults', { clear: true });

  const before = reads();
  const began = performance.now();
  await world.bridge.restart();
  await story.settled();
  await world.untilBridgeIdle();
  const took = performance.now() - began;
  const used = reads() - before;
  console.info(
    `downtime: ${MESSAGES} messages, ${OLD_REPLIES} replies in old threads, ${EDITS} edits, ${DELETIONS} deletions: lost 0, doubled 0, out of order 0; both sides the same after ${Math.round(took)} ms and ${used} reads of chat`,
  );
  // A page for the channels, and one for each thread and for its missing messages, with a factor of two for
  // comparisons during the recovery.
  expect(used).toBeLessThan(20 * (THREADS + fresh.length) + DELETIONS);
  await assertHistory(world);

  function reads(): number {
    return (
      world.calls('conversations.history') +
      world.calls('conversations.replies') +
      world.calls('users.conversations')
    );
  }
});
