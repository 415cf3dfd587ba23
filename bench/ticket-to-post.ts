/**
 * The time from a message on a ticket to the post in its thread: `node bench/ticket-to-post.ts`. The baseline
 * is one direct `chat.postMessage`. Both are timed until Slack has the post, by the timestamp that it
 * assigns.
 */
import { setTimeout as delay } from 'node:timers/promises';

import { DEMO } from '../src/start/demo.ts';
import { type Desk, startDesk } from './lib/desk.ts';
import { type Figure, percentile } from './lib/figures.ts';
import { must, soon } from './lib/load.ts';
import { type Rig, runAlone, tellRound } from './lib/report.ts';
import { mentionOfBot } from './lib/talk.ts';

const CHANNEL = 'it-help';
/** A bridge runs for weeks: what recurs is prepared and compiled. */
const WARM_UP = 300;
const MESSAGES = 100;
/** Between two answers: the one before is in its thread, and its record with the service. */
const APART_MS = 100;

interface Thread {
  root: string;
  ticketId: string;
  channelId: string;
}

export const ticketToPost: Rig = { title: 'From the ticket to chat', minutes: 4, measure };

async function measure(rounds: number): Promise<Figure[]> {
  const desk = await startDesk();
  // One post for each answer.
  await desk.setTeamThreads('notes');
  // The recorder, which notes what comes from chat, would be in the way.
  const bridge = await desk.startBridge({ SERVICE_URL: `${desk.service}/api` });
  const ours: number[][] = [];
  const direct: number[][] = [];
  const thread = await openThread(desk);
  await answers(desk, thread, WARM_UP, 'warm');
  for (let round = 0; round < rounds; round++) {
    tellRound(ticketToPost.title, round, rounds);
    ours.push(await answers(desk, thread, MESSAGES, `ours ${round}`));
    direct.push(await posts(desk, thread, MESSAGES));
  }
  await bridge.stop();
  const baseline = 'one chat.postMessage';
  return [
    {
      name: 'median time until an answer stands in the thread',
      unit: 'ms',
      ours: ours.map((times) => percentile(times, 0.5)),
      baseline: { name: baseline, values: direct.map((times) => percentile(times, 0.5)) },
      goal: { under: 20 },
      note: 'The service stores the message with its event; the bridge stores the webhook, reads what changed, and records the post as started; the post is sent, and recorded. A direct call is one of these steps; three transactions are on disk before it.',
    },
    {
      name: 'the slowest of a hundred answers',
      unit: 'ms',
      ours: ours.map((times) => percentile(times, 0.99)),
      baseline: { name: baseline, values: direct.map((times) => percentile(times, 0.99)) },
    },
  ];
}

async function openThread(desk: Desk): Promise<Thread> {
  const { message } = (await must('POST', `${desk.sandbox}/_control/message`, {
    channel: CHANNEL,
    user: 'ada',
    text: `${await mentionOfBot(desk)} how long does it take?`,
  })) as { message: { ts: string; channel: string } };
  const ticket = await soon('the ticket', async () => {
    const found = await must(
      'GET',
      `${desk.service}/api/tickets?chatMessageTs=${message.ts}`,
      undefined,
      desk.key,
    );
    return (found as { items: { id: string }[] }).items[0];
  });
  await desk.calm();
  return { root: message.ts, ticketId: ticket.id, channelId: message.channel };
}

/**
 * Milliseconds until each answer on the ticket was in its thread, one after the other. The thread is read when all are
 * there: reading it meanwhile would take from the time of the programs.
 */
async function answers(desk: Desk, thread: Thread, count: number, words: string): Promise<number[]> {
  const sent = new Map<string, number>();
  for (let n = 0; n < count; n++) {
    const content = `${words}, answer ${n}`;
    sent.set(content, Date.now());
    await must(
      'POST',
      `${desk.service}/api/ticket-messages`,
      { ticketId: thread.ticketId, content },
      desk.key,
    );
    await delay(APART_MS);
  }
  const url = `${desk.sandbox}/_control/messages/${CHANNEL}?thread=${thread.root}`;
  return soon('the posts', async () => {
    const { messages } = (await must('GET', url)) as { messages: { text: string; ts: string }[] };
    const times = messages.flatMap(({ text, ts }) => {
      const at = sent.get(text);
      return at === undefined ? [] : [since(at, ts)];
    });
    return times.length === count ? times : undefined;
  });
}

/** The same for a direct post. */
async function posts(desk: Desk, { root, channelId }: Thread, count: number): Promise<number[]> {
  const times: number[] = [];
  for (let n = 0; n < count; n++) {
    const sent = Date.now();
    const { ts } = (await must(
      'POST',
      `${desk.sandbox}/api/chat.postMessage`,
      { channel: channelId, thread_ts: root, text: `direct ${n}` },
      { authorization: `Bearer ${DEMO.app.botToken}` },
    )) as { ts: string };
    times.push(since(sent, ts));
  }
  return times;
}

/** Milliseconds until chat had a post. Its clock counts whole milliseconds, so the minimum is one. */
function since(sent: number, ts: string): number {
  return Math.max(1, Number(ts) * 1000 - sent);
}

if (import.meta.main) await runAlone(ticketToPost);
