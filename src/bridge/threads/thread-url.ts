import type { Bridge } from '../bridge.ts';
import { findByThread } from './conversations.ts';
import { permalinkOf } from '../slack/ids.ts';

type Knows = Pick<Bridge, 'database' | 'bot' | 'log'>;

/**
 * Where people open a ticket's thread in chat. A ticket's record names its channel and timestamp, not its workspace:
 * where several are served, it is the one whose own tables know the thread. Undefined where none does.
 */
export async function threadUrl(
  bridges: readonly Knows[],
  channel: string,
  ts: string,
): Promise<string | undefined> {
  const found = await Promise.all(
    bridges.map(async (bridge) => (await knows(bridge, channel, ts)) && bridge.bot.url),
  );
  const url = found.find(Boolean);
  return url ? permalinkOf(url, { channel, ts }) : undefined;
}

/** Whoever asks can do without the link: a database that is away is not their trouble. */
async function knows({ database, bot, log }: Knows, channel: string, root: string): Promise<boolean> {
  try {
    return (await findByThread(database.db, { team: bot.team, channel, root })) !== undefined;
  } catch (error) {
    log.warn({ err: error, event: 'thread.not_looked_up' }, 'a thread could not be looked up');
    return false;
  }
}
