import type { Bridge } from '../bridge.ts';
import { findByThread } from './conversations.ts';
import { permalinkOf } from '../slack/ids.ts';

type Knows = Pick<Bridge, 'database' | 'bot' | 'log'>;

/**
 * Returns the URL of a ticket's thread in Slack. A ticket's record names its channel and timestamp, not its workspace:
 * of several, it is the one whose tables contain the thread. Undefined if none does.
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

/** The link is optional, so an unavailable database is ignored. */
async function knows({ database, bot, log }: Knows, channel: string, root: string): Promise<boolean> {
  try {
    return (await findByThread(database.db, { team: bot.team, channel, root })) !== undefined;
  } catch (error) {
    log.warn({ err: error, event: 'thread.not_looked_up' }, 'a thread could not be looked up');
    return false;
  }
}
