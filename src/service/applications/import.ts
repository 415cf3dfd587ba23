import { sql } from 'kysely';

import { applicationsFile, ID_PREFIXES } from '../../contract/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { openDatabase, transaction } from '../../platform/database/open.ts';
import type { NewId } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import type { ServiceTx } from '../handler.ts';
import { migrations, SCHEMA } from '../schema/migrations.ts';
import type { Tables } from '../schema/tables.ts';
import { lockFirstWorkspace } from '../schema/workspace.ts';
import { applicationColumns, type ApplicationInput } from './columns.ts';

/** A mistake in a file: its path in the list of applications, or none. */
export interface ApplicationsIssue {
  path: readonly (string | number)[];
  message: string;
}

/** The file or its target is invalid: lists what to fix; nothing was written. */
export class ApplicationsError extends Error {
  override readonly name = 'ApplicationsError';
  readonly issues: readonly ApplicationsIssue[];

  constructor(issues: readonly ApplicationsIssue[]) {
    super(issues.map(({ path, message }) => [...path, message].join(': ')).join('\n'));
    this.issues = issues;
  }
}

export interface ImportOptions {
  log: Log;
  clock: Clock;
  newId: NewId;
  /** Id or slug; default the first workspace. */
  workspace?: string;
  /** Number of applications done, after each. */
  onProgress?: (done: number) => void;
}

/**
 * Imports a list of applications: all of them, or none with an ApplicationsError that lists every mistake. An existing
 * one, identified by its id or else its name, is replaced; others stay (docs/api.md, Configuration records).
 */
export async function importApplications(
  databaseUrl: string,
  content: unknown,
  { log, clock, newId, workspace, onProgress }: ImportOptions,
): Promise<{ created: number; replaced: number }> {
  const applications = read(content);
  const database = openDatabase<Tables>({ url: databaseUrl, schema: SCHEMA, log, poolSize: 1 });
  try {
    await migrate(database, migrations);
    return await transaction(database.db, async (tx) => {
      const workspaceId = await workspaceOf(tx, workspace);
      const now = clock.now();
      const issues: ApplicationsIssue[] = [];
      let created = 0;
      for (const [index, application] of applications.entries()) {
        const found = [
          ...(await peopleIssues(tx, workspaceId, application)),
          ...(await nameIssues(tx, workspaceId, application)),
        ];
        issues.push(...found.map(({ path, message }) => ({ path: [index, ...path], message })));
        if (issues.length === 0 && (await save(tx, workspaceId, application, { newId, now }))) created++;
        onProgress?.(index + 1);
      }
      if (issues.length > 0) throw new ApplicationsError(issues);
      return { created, replaced: applications.length - created };
    });
  } finally {
    await database.close();
  }
}

function read(content: unknown): ApplicationInput[] {
  const list = applicationsFile.safeParse(content);
  if (!list.success)
    throw new ApplicationsError(
      list.error.issues.map(({ path, message }) => ({
        path: path.map((step) => (typeof step === 'number' ? step : String(step))),
        message,
      })),
    );
  const names = list.data.map(({ name }) => name.trim().toLowerCase());
  const twice = names.flatMap((name, index) =>
    names.indexOf(name) === index ? [] : [{ path: [index, 'name'], message: `"${name}" is there twice` }],
  );
  if (twice.length > 0) throw new ApplicationsError(twice);
  return list.data;
}

async function workspaceOf(tx: ServiceTx, named: string | undefined): Promise<string> {
  if (named === undefined) {
    const first = await lockFirstWorkspace(tx);
    if (first === undefined)
      throw new ApplicationsError([
        { path: [], message: 'There is no workspace yet: start the service once.' },
      ]);
    return first;
  }
  const row = await tx
    .selectFrom('workspace')
    .select('id')
    .where('deleted_at', 'is', null)
    .where((where) => where.or([where('id', '=', named), where('slug', '=', named)]))
    .executeTakeFirst();
  if (!row) throw new ApplicationsError([{ path: [], message: `There is no workspace "${named}".` }]);
  return row.id;
}

/** Reports users that do not exist in the workspace. */
async function peopleIssues(
  tx: ServiceTx,
  workspaceId: string,
  { ownerId, approverIds, accessLevels }: ApplicationInput,
): Promise<ApplicationsIssue[]> {
  const named: [path: (string | number)[], ids: readonly string[]][] = [
    [['ownerId'], ownerId ? [ownerId] : []],
    [['approverIds'], approverIds ?? []],
    ...(accessLevels ?? []).map((level, place): [(string | number)[], readonly string[]] => [
      ['accessLevels', place, 'approverIds'],
      level.approverIds ?? [],
    ]),
  ];
  const ids = [...new Set(named.flatMap(([, people]) => people))];
  if (ids.length === 0) return [];
  const rows = await tx
    .selectFrom('person')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where('id', 'in', ids)
    .execute();
  const known = new Set(rows.map(({ id }) => id));
  return named.flatMap(([path, people]) =>
    people
      .filter((id) => !known.has(id))
      .map((id) => ({ path, message: `The workspace has no user "${id}"` })),
  );
}

/** Returns whether it is new. */
async function save(
  tx: ServiceTx,
  workspaceId: string,
  application: ApplicationInput,
  context: { newId: NewId; now: Date },
): Promise<boolean> {
  const { id, name } = application;
  const rows = tx
    .selectFrom('application')
    .select(['id', 'access_levels as accessLevels', 'integration'])
    .where('workspace_id', '=', workspaceId);
  const stored = await (
    id
      ? rows.where('id', '=', id)
      : rows.where(sql<string>`lower(name)`, '=', sql<string>`lower(${name.trim()})`)
  )
    .forUpdate()
    .executeTakeFirst();
  const columns = applicationColumns(application, stored, context);
  if (stored)
    await tx
      .updateTable('application')
      .set(columns)
      .where('workspace_id', '=', workspaceId)
      .where('id', '=', stored.id)
      .execute();
  else
    await tx
      .insertInto('application')
      .values({
        ...columns,
        workspace_id: workspaceId,
        id: id ?? context.newId(ID_PREFIXES.application),
        created_at: context.now,
      })
      .execute();
  return stored === undefined;
}

/** A name is unique in its workspace, ignoring case; the unique index enforces it against races. */
async function nameIssues(
  tx: ServiceTx,
  workspaceId: string,
  { id, name }: ApplicationInput,
): Promise<ApplicationsIssue[]> {
  // Without an id, its name identifies it, and so this is the same one.
  if (!id) return [];
  const taken = await tx
    .selectFrom('application')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where(sql<string>`lower(name)`, '=', sql<string>`lower(${name.trim()})`)
    .where('id', '<>', id)
    .executeTakeFirst();
  return taken ? [{ path: ['name'], message: `"${name.trim()}" is the name of ${taken.id} already` }] : [];
}
