import { createClient } from '../../client/index.ts';
import { DatabaseAway } from '../../platform/database/away.ts';
import { databaseErrorCode, openDatabase } from '../../platform/database/open.ts';
import { SCHEMA } from '../bridge.ts';
import type { ConnectOptions } from '../open.ts';
import type { BridgeTables } from '../schema/tables.ts';
import { tryAppToken, type SlackConnection } from './check-chat.ts';
import { notStarted } from './check-service.ts';
import {
  checkRunning,
  checkSchema,
  checkWork,
  type DatabaseFacts,
  readDatabase,
  readWork,
} from './check-work.ts';
import { type Finding, findings as findingsOf } from './finding.ts';
import { checkSlack, checkOutside } from './outside.ts';

export interface DoctorOptions extends ConnectOptions {
  /** How Slack reaches the bridge: by Socket Mode with this token, or by HTTP. */
  receives: { appToken: string } | 'http';
  /** The Slack workspace, if there may be others. */
  team?: string | undefined;
  scopes: readonly string[];
  reconcileEveryMs: number;
  /** The programs that `deskbridge start` would run with this configuration: they do not answer while it is stopped. */
  starts: { service: boolean; sandbox: boolean };
}

/** Returns what checks everything the bridge depends on once, whether or not a bridge is running. */
export function openDoctor(options: DoctorOptions) {
  const { databaseUrl: url, schema = SCHEMA, log, clock, random } = options;
  const { url: serviceUrl, ...access } = options.service;
  const database = openDatabase<BridgeTables>({ url, schema, log, poolSize: 2 });
  const service = createClient({
    ...access,
    baseUrl: serviceUrl,
    now: () => clock.now(),
    random,
    attempts: 1,
  });

  return {
    /** Never throws for problems that it finds. */
    async examine(): Promise<Finding[]> {
      let facts: DatabaseFacts;
      try {
        facts = await readDatabase(database);
      } catch (error) {
        return [databaseAway(error)];
      }
      const schema = checkSchema(facts);
      const { runningMs } = facts;
      const running = runningMs !== undefined;
      const findings = [schema, checkRunning(facts)];
      // Without its tables there is nothing of ours to check yet; whether tokens work is known before.
      if (schema.state !== 'ok')
        return options.starts.sandbox
          ? findings
          : [...findings, ...(await checkSlack(options, await connectionOf(options)))];
      const work = await readWork(database, { clock });
      const sight = { ...options, database, service, serviceUrl };
      const outside = await checkOutside(sight, { connection: await connectionOf(options), pings: running });
      const inItsPlace = running ? (finding: Finding) => finding : absentPart(options.starts);
      return [
        ...findings,
        ...checkWork(work, { now: clock.now(), runningMs, everyMs: options.reconcileEveryMs }),
        ...outside.map(inItsPlace),
      ];
    },
    async stop() {
      await service.close();
      await database.close();
    },
  };
}

function databaseAway(error: unknown): Finding {
  const reason =
    databaseErrorCode(error) ??
    (error instanceof DatabaseAway ? error.code : undefined) ??
    'it does not answer';
  return findingsOf('database').bad(
    `The database cannot be used (${reason}).`,
    'Start it, or correct DATABASE_URL; its log says more.',
  );
}

async function connectionOf({ receives, chat }: DoctorOptions): Promise<SlackConnection> {
  return receives === 'http'
    ? { by: 'http' }
    : { by: 'socket', state: await tryAppToken(receives.appToken, chat.apiUrl) };
}

/** Parts that `start` would run do not answer while stopped: their findings say that. */
function absentPart(starts: DoctorOptions['starts']): (finding: Finding) => Finding {
  const silent = new Map<string, string>([
    ...(starts.service ? [['service.key', 'The service'] as const] : []),
    ...(starts.sandbox
      ? [['chat.token', 'The sandbox'] as const, ['chat.connection', 'The sandbox'] as const]
      : []),
  ]);
  return (finding) => {
    const what = silent.get(finding.id);
    return what !== undefined && finding.state === 'bad' ? notStarted(finding.id, what) : finding;
  };
}
