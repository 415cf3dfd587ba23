import { setTimeout as pause } from 'node:timers/promises';

import { LogLevel, WebClient } from '@slack/web-api';

import { CannotTry, type Comparison, liveFacts, WrongChannelError } from '../sandbox/index.ts';
import { type Invocation, UsageError } from './command.ts';

/**
 * Pause between two calls: Slack accepts about one post a second per channel (docs.slack.dev/apis/web-api/rate-limits).
 */
const PACE_MS = 1_000;
const TIMEOUT_MS = 30_000;
const CHANNEL = /^[CG][A-Z0-9]{4,24}$/;

/**
 * Checks the sandbox's assumptions about Slack against a real workspace, in the given channel, and prints for each fact
 * whether it is the same there. Deletes what it posts. Returns the exit code: 1 if something differs.
 */
export async function compareWithLive(
  { config, around, values }: Invocation,
  paceMs = PACE_MS,
): Promise<number> {
  const { channel } = values;
  if (typeof channel !== 'string' || !CHANNEL.test(channel))
    throw new UsageError(
      'Name a test channel that may be written to, with the app in it: `npx deskbridge doctor --live --channel C0123456789`.',
    );
  const token = config.SLACK_BOT_TOKEN;
  if (token === undefined)
    throw new UsageError('SLACK_BOT_TOKEN is missing: `doctor --live` needs a real workspace.');
  const client = new WebClient(token, {
    ...(config.SLACK_API_URL === undefined ? {} : { slackApiUrl: config.SLACK_API_URL }),
    retryConfig: { retries: 2 },
    timeout: TIMEOUT_MS,
    logLevel: LogLevel.ERROR,
  });
  const counts = { same: 0, differs: 0, 'not-tried': 0 };
  try {
    const pace = () => pause(paceMs);
    for await (const result of liveFacts({ client, fetch, clock: around.clock, pace, channel })) {
      counts[result.outcome] += 1;
      process.stdout.write(comparisonText(result));
    }
  } catch (error) {
    if (error instanceof WrongChannelError || error instanceof CannotTry) throw new UsageError(error.message);
    throw error;
  }
  process.stdout.write(
    `\n${counts.same} same, ${counts.differs} differ, ${counts['not-tried']} could not be checked. For what a bot token alone cannot check, see src/sandbox/slack-facts.md, "Assumed, and not tried".\n`,
  );
  return counts.differs > 0 ? 1 : 0;
}

function comparisonText(result: Comparison): string {
  const lines = [`${LABELS[result.outcome].padEnd(10)}${result.fact}`, `${INDENT}${result.tries}`];
  if (result.outcome === 'differs')
    lines.push(
      `${INDENT}expected ${JSON.stringify(result.expected)}`,
      `${INDENT}seen     ${JSON.stringify(result.seen)}`,
    );
  if (result.outcome === 'not-tried') lines.push(`${INDENT}${result.why}`);
  for (const left of result.left) lines.push(`${INDENT}left behind: ${left}`);
  return `${lines.join('\n')}\n`;
}

const INDENT = ' '.repeat(10);
const LABELS = { same: 'same', differs: 'DIFFERS', 'not-tried': 'not tried' } as const;
