import { flushCompileCache } from 'node:module';
import path from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';

import { collectWhenIdle } from '../platform/idle-collection.ts';
import { StartError } from '../platform/lifecycle.ts';
import { systemTimers } from '../platform/timers.ts';
import type { Config } from '../start/config.ts';
import { type Program, PROGRAMS, type Started, startPrograms, type StartStep } from '../start/programs.ts';
import type { Surroundings } from '../start/surroundings.ts';
import { type Run, UsageError } from './command.ts';

/** Time limit of a stop before the process ends; everything is stored by then (B52). */
const STOP_MS = 9_500;

/** Starts programs and runs until SIGTERM or SIGINT. */
export function serve(name: keyof typeof PROGRAMS): Run {
  return async ({ config, values, terminal, began, ...given }) => {
    const around = terminal && config.LOG_LEVEL === undefined ? withQuietLog(given.around) : given.around;
    const { log, clock } = around;
    const wanted = new Set<Program>(PROGRAMS[name](config));
    if (wanted.has('bridge') && !wanted.has('service') && config.embeddedService)
      throw new UsageError(
        'SERVICE_URL is missing: the bridge needs a service. Set it, or run `deskbridge start`.',
      );
    if (wanted.has('bridge') && !wanted.has('sandbox') && !config.SLACK_BOT_TOKEN && !config.SLACK_CLIENT_ID)
      throw new UsageError(
        'SLACK_BOT_TOKEN is missing: the bridge needs a Slack workspace. Set it, or run `deskbridge start` with SANDBOX=on to try it in the sandbox.',
      );
    const failed = new AbortController();
    const stop = nextStopSignal(failed.signal);
    const demo = values.demo === true || (config.sandbox && !config.DATABASE_URL);
    // Stopped while a dependency is still unavailable: there is nothing to finish.
    const starting = startPrograms(config, wanted, around, {
      demo,
      // One clock: people try the demo on the machine that runs it.
      timeZone: Intl.DateTimeFormat().resolvedOptions().timeZone,
      ...(terminal && {
        onStep: (step: StartStep) => void process.stdout.write(`  ${stepText(step, demo, config)}\n`),
      }),
    });
    starting.catch(() => failed.abort());
    const started = await Promise.race([starting, stop]);
    if (typeof started === 'string') return;
    log.info({ ...started.urls, readyMs: clock.now().getTime() - began.getTime() }, 'ready');
    // Otherwise kept only at exit, which a killed process never reaches.
    flushCompileCache();
    const collecting = collectWhenIdle(systemTimers);
    if (terminal)
      process.stdout.write(banner({ ...started, signInLink: await signInLinkOf(started) }, config));
    const end = await Promise.race([stop, started.failed.catch((error: unknown) => new PartFailed(error))]);
    const failure = end instanceof PartFailed ? end : undefined;
    log.info({ signal: failure ? undefined : end }, 'stopping');
    await collecting.stop();
    const overdue = wait(STOP_MS, 'overdue' as const, { ref: false });
    if ((await Promise.race([started.stop(), overdue])) === 'overdue')
      log.error('not everything stopped in time; unfinished work is stored');
    if (failure) throw failure;
    if (terminal) process.stdout.write(`\nStopped. ${dataText(config)}\n`);
  };
}

/**
 * Resolves at the first signal to stop. Further ones are ignored, as npm passes a Ctrl-C on to who has had it already.
 * @param given aborted when the signal is no longer awaited: the process then ends by it as usual.
 */
function nextStopSignal(given: AbortSignal): Promise<string> {
  return new Promise((resolve) => {
    for (const signal of ['SIGTERM', 'SIGINT'] as const) {
      const stop = () => resolve(signal);
      process.on(signal, stop);
      given.addEventListener('abort', () => process.off(signal, stop), { once: true });
    }
  });
}

/** Lowers the log level on a terminal: log lines would push the banner out of view. */
function withQuietLog(around: Surroundings): Surroundings {
  return { ...around, log: around.log.child({}, { level: 'warn' }) };
}

/** A part that was still starting can never work. The message of its error is for people. */
class PartFailed extends StartError {
  override readonly name = 'PartFailed';

  constructor(cause: unknown) {
    super(cause instanceof Error ? cause.message : String(cause), { cause });
  }
}

/** Returns a sign-in link, if what it signs in to runs here. */
async function signInLinkOf({ urls, adminLink }: Started): Promise<SignInLink> {
  return urls.desk === undefined ? undefined : adminLink?.();
}

type SignInLink = Awaited<ReturnType<NonNullable<Started['adminLink']>>>;

/** Returns what the start does now, for someone who waits for it. */
function stepText(step: StartStep, demo: boolean, { DATABASE_URL, sandbox }: Config): string {
  switch (step) {
    case 'database':
      return DATABASE_URL === undefined ? 'Starting the database…' : 'Connecting to the database…';
    case 'service':
      return demo ? 'Preparing the tickets of the demo…' : 'Starting the service…';
    case 'bridge':
      return sandbox ? 'Connecting to the sandbox…' : 'Connecting to Slack…';
  }
}

/** Says where the data is that a stopped program leaves behind. */
export function dataText({ DATABASE_URL, DATA_DIR }: Pick<Config, 'DATABASE_URL' | 'DATA_DIR'>): string {
  if (DATABASE_URL !== undefined) return 'Data is in the database at DATABASE_URL.';
  const relative = path.relative('', DATA_DIR);
  return `Data is in ${relative.startsWith('..') ? path.resolve(DATA_DIR) : `./${relative}`}.`;
}

/** Returns the next steps for a new user, ready to paste. */
export function banner(
  { urls, apiKey, nextTicket, signInLink, waitsFor }: Omit<Started, 'failed'> & { signInLink?: SignInLink },
  { COMMAND, LOG_LEVEL, ...config }: Pick<Config, 'COMMAND' | 'LOG_LEVEL' | 'DATABASE_URL' | 'DATA_DIR'>,
): string {
  const lines = ['', 'deskbridge is running.', ''];
  if (urls.desk) lines.push(`  Desk      ${urls.desk}`);
  if (signInLink)
    lines.push(
      `  Sign in   ${signInLink.url}`,
      `            as ${signInLink.name}, once, within ten minutes`,
    );
  else if (urls.desk && urls.api)
    lines.push('  Sign in   with the link of `npx deskbridge people sign-in-link <e-mail>`');
  if (urls.sandbox) lines.push(`  Sandbox   ${urls.sandbox}  (stands in for Slack)`);
  const away = waitsFor?.();
  if (away !== undefined) lines.push(`  Slack     ${away}; trying again`);
  if (urls.api) lines.push(`  API       ${urls.api}`);
  if (apiKey) lines.push(`  API key   ${apiKey}`);
  if (urls.sandbox && urls.api && apiKey && nextTicket)
    lines.push(
      '',
      `  1. Open the sandbox and write in #it-help:  @deskbridge my laptop does not start`,
      `     It becomes ${nextTicket}, and its thread is the conversation.`,
      '  2. Reply as an agent: sign in with the link above and open the ticket. Or from a program:',
      '',
      `curl -s ${urls.api}/ticket-messages -H 'x-service-api-token: ${apiKey}' \\`,
      `  -H 'content-type: application/json' -d '{"ticketId":"${nextTicket}","content":"Have you tried the *other* charger?"}'`,
      '',
      `  3. The reply is in the thread. In the sandbox, type:  ${COMMAND} close ${nextTicket}   (${COMMAND} help shows the rest)`,
    );
  return [
    ...lines,
    '',
    `  Stop with Ctrl-C. ${dataText(config)}`,
    ...(LOG_LEVEL === undefined ? ['  Only warnings are shown below; LOG_LEVEL=info shows more.'] : []),
    '',
    '',
  ].join('\n');
}
