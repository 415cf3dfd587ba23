import { setTimeout as delay } from 'node:timers/promises';

import type { Desk } from './desk.ts';
import { inTurn, must, soon } from './load.ts';

/** A thread of one channel, in which its requester writes. */
export interface Thread {
  channel: string;
  root: string;
}

/** Concurrent writers. */
const AT_ONCE = 16;

/** Posts a message in the sandbox as a user; resolves with the message's timestamp. */
export async function say(
  desk: Desk,
  channel: string,
  text: string,
  root?: string,
): Promise<{ ts: string; sent: number }> {
  const sent = performance.now();
  const { message } = (await must('POST', `${desk.sandbox}/_control/message`, {
    channel,
    user: 'ada',
    text,
    ...(root !== undefined && { thread_ts: root }),
  })) as { message: { ts: string } };
  return { ts: message.ts, sent };
}

/** The mention of the bot. */
export async function mentionOfBot(desk: Desk): Promise<string> {
  const { apps } = (await must('GET', `${desk.sandbox}/_control/state`)) as { apps: { botUserId: string }[] };
  return `<@${apps[0]?.botUserId ?? ''}>`;
}

/** Asks the bot for a ticket in each channel; with `carried`, resolves when all tickets exist. */
export async function openThreads(
  desk: Desk,
  channels: readonly string[],
  carried = true,
): Promise<Thread[]> {
  const mention = await mentionOfBot(desk);
  const before = desk.recorder.tickets;
  const threads: Thread[] = [];
  for (const [n, channel] of channels.entries())
    threads.push({ channel, root: (await say(desk, channel, `${mention} thread ${n}`)).ts });
  await soon('every thread to have its ticket', () =>
    Promise.resolve(!carried || desk.recorder.tickets - before >= channels.length ? true : undefined),
  );
  await desk.calm();
  return threads;
}

/** Posts messages at a fixed rate. */
export async function talkSlowly(
  desk: Desk,
  threads: readonly Thread[],
  count: number,
  perSecond: number,
): Promise<void> {
  const began = performance.now();
  const said: Promise<unknown>[] = [];
  for (let at = 0; at < count; at++) {
    await delay(Math.max(0, began + (at * 1000) / perSecond - performance.now()));
    const thread = threads[at % threads.length];
    if (thread) said.push(say(desk, thread.channel, `slow line ${at}`, thread.root));
  }
  await Promise.all(said);
}

export interface Talked {
  perSecond: number;
  /** Milliseconds from each message in chat until it was on its ticket; NaN if nothing forwards it. */
  times: number[];
}

/**
 * Posts `count` messages from several users at once; with `carried`, resolves when the last one is on its
 * ticket.
 */
export async function talk(
  desk: Desk,
  threads: readonly Thread[],
  count: number,
  carried = true,
): Promise<Talked> {
  const said: { ts: string; sent: number }[] = [];
  const lines = Array.from({ length: count }, (_, at) => ({ at, thread: threads[at % threads.length] }));
  const began = performance.now();
  await inTurn(lines, AT_ONCE, async ({ at, thread }) => {
    if (thread) said.push(await say(desk, thread.channel, `line ${at}`, thread.root));
  });
  const over = await soon('every message to be on its ticket', async () => {
    if (!carried) return performance.now();
    const times = said.map(({ ts }) => desk.recorder.taken.get(ts));
    return times.every((time) => time !== undefined) ? Math.max(...times) : undefined;
  });
  const times = said.map(({ ts, sent }) => (desk.recorder.taken.get(ts) ?? Number.NaN) - sent);
  return { perSecond: count / ((over - began) / 1000), times };
}
