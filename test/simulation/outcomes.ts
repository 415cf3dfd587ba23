import { globSync, readFileSync } from 'node:fs';
import path from 'node:path';

import { rowsOf } from './rows.ts';
import type { Databases, World } from './world.ts';

const ROOT = path.resolve(import.meta.dirname, '../..');
const SOURCES = ['src/bridge/**/*.ts', 'src/service/**/*.ts', 'src/platform/**/*.ts'];
/** How the source names what a program logs, unless that is for debugging. */
const LOGGED = /log\.(?:info|warn|error)\(\s*\{[^}]*?event: '([\w.-]+)'/g;

/** How each post ends, and what programs log: that of these nothing happened says that a seed does not reach it. */
const POST_STATES = ['sent', 'dropped', 'dead'] as const;
const ofPost = (state: string) => `a post is ${state}`;
const ofLog = (event: string) => `logged: ${event}`;

/** All outcomes that are known before they happen. */
export function knownOutcomes(): string[] {
  const events = SOURCES.flatMap((pattern) => globSync(pattern, { cwd: ROOT }))
    .map((file) => readFileSync(path.join(ROOT, file), 'utf8'))
    .flatMap((source) => [...source.matchAll(LOGGED)].map(([, event = '']) => event));
  return [...POST_STATES.map(ofPost), ...[...new Set(events)].toSorted().map(ofLog)];
}

type Counts = Record<string, number>;

/** How often posts, pieces of work and programs ended in each way, once nothing is left to do. */
export async function outcomesIn({ databases, log }: Pick<World, 'databases' | 'log'>): Promise<Counts> {
  const counts: Counts = {};
  const add = (what: string, times: number) => {
    counts[what] = (counts[what] ?? 0) + times;
  };
  const posts = await rowsOf<{ state: string; times: number }>(
    databases.bridge,
    'select state, count(*)::integer as times from bridge.outbox group by state order by state',
  );
  for (const { state, times } of posts) add(ofPost(state), times);
  for (const schema of ['service', 'bridge'] as const) {
    const work = await rowsOf<{ what: string; times: number }>(
      databases[schema],
      // An outcome may have a number in it.
      `select kind || ': ' || case when dead_at is not null then 'dead' else coalesce(regexp_replace(outcome, '\\d+', 'n', 'g'), 'undone') end as what,
         count(*)::integer as times from ${schema}.work group by what order by what`,
    );
    for (const { what, times } of work) add(what, times);
  }
  for (const { line } of log) if (typeof line['event'] === 'string') add(ofLog(line['event']), 1);
  return counts;
}

/** A process that is told of work begins it when it is due; if nobody tells it, it looks every five seconds. */
const PICKED_UP_WITHIN = '2 seconds';

/** The work that is due, and that no process has begun in time. */
export async function lateWork(databases: Databases): Promise<string[]> {
  const late: string[] = [];
  for (const schema of ['service', 'bridge'] as const)
    for (const { key, ms } of await rowsOf<{ key: string; ms: number }>(
      databases[schema],
      `select key, round(extract(epoch from clock_timestamp() - wake_at) * 1000)::integer as ms from ${schema}.lane
       where wake_at < clock_timestamp() - interval '${PICKED_UP_WITHIN}'
         and (leased_until is null or leased_until < clock_timestamp() - interval '${PICKED_UP_WITHIN}') order by key`,
    ))
      late.push(`${key} of the ${schema} is due for ${ms} ms`);
  return late;
}
