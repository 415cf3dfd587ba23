import type { Probe } from './probe.ts';
import { CannotTry } from './read.ts';
import type { Workbench } from './workbench.ts';

/** Threads at their edges: replies of replies, and roots that are gone. */
export const THREAD_PROBES: readonly Probe[] = [
  {
    fact: '`conversations.replies` with the ts of a reply gives that reply alone; of nothing, `thread_not_found`',
    tries: 'the ts of a reply',
    expected: ['the reply'],
    async run(bench) {
      const root = await bench.post({ text: 'root' });
      const reply = await bench.post({ text: 'reply', thread_ts: root.ts });
      const names = new Map([
        [root.ts, 'the root'],
        [reply.ts, 'the reply'],
      ]);
      return (await bench.replies(reply.ts)).map(({ ts }) => names.get(ts) ?? ts);
    },
  },
  {
    fact: '`thread_ts` that names a reply means the thread of that reply',
    tries: 'the `thread_ts` of a post that names a reply',
    expected: 'the root',
    async run(bench) {
      const root = await bench.post({ text: 'root' });
      const reply = await bench.post({ text: 'reply', thread_ts: root.ts });
      const second = await bench.post({ text: 'reply of a reply', thread_ts: reply.ts });
      const { thread_ts: thread } = second.message;
      return thread === root.ts ? 'the root' : thread === reply.ts ? 'the reply' : (thread ?? 'no thread');
    },
  },
  {
    fact: 'A post into the thread of a tombstone stays in the thread',
    tries: 'a reply to a root that was deleted',
    expected: ['tombstone', 'first', 'second'],
    async run(bench) {
      const { root } = await tombstone(bench);
      await bench.post({ text: 'second', thread_ts: root });
      return (await bench.replies(root)).map(({ subtype, text }) => subtype ?? text);
    },
  },
  {
    fact: 'The tombstone goes when its last reply is deleted, without an event',
    tries: 'the history after the last reply is deleted (not: the event)',
    expected: { before: 'tombstone', after: 'gone' },
    async run(bench) {
      const { root, reply } = await tombstone(bench);
      const before = (await bench.inHistory(root))?.['subtype'];
      await bench.must('chat.delete', { channel: bench.channel, ts: reply });
      const after = await bench.inHistory(root);
      return { before, after: after ? (after['subtype'] ?? 'a message') : 'gone' };
    },
  },
];

/** A root that was deleted while it had one reply. */
async function tombstone(bench: Workbench): Promise<{ root: string; reply: string }> {
  const root = await bench.post({ text: 'root' });
  const reply = await bench.post({ text: 'first', thread_ts: root.ts });
  await bench.must('chat.delete', { channel: bench.channel, ts: root.ts });
  if (!(await bench.inHistory(root.ts))) throw new CannotTry('a deleted root leaves nothing here');
  return { root: root.ts, reply: reply.ts };
}
