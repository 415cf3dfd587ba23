import { sql } from 'kysely';

import { applicationsFile, ID_PREFIXES } from '../../contract/index.ts';
import type { Clock } from '../../platform/clock.ts';
import { migrate } from '../../platform/database/migrate.ts';
import { openDatabase, transaction } from '../../platform/database/open.ts';
import type { NewId } from '../../platform/ids.ts';
import type { Log } from '../../platform/log.ts';
import type { ServiceTx } from '../handler.ts';
import { ServiceProblem } from '../problem.ts';
import { requireIds } from '../references.ts';
import { migrations, SCHEMA } from '../schema/migrations.ts';
import type { Tables } from '../schema/tables.ts';
import { lockFirstWorkspace } from '../schema/workspace.ts';
import { applicationColumns, type ApplicationInput } from './columns.ts';

/** The file, or what it is for, is not as it must be; the message says what to mend, and nothing was written. */
export class ApplicationsError extends Error {
  override readonly name = 'ApplicationsError';
}

export interface ImportOptions {
  log: Log;
  clock: Clock;
  newId: NewId;
  /** Id or slug; the first workspace when absent. */
  workspace?: string;
}

/**
 * Imports applications from what an operator's file says, an array or `{ "applications": […] }`: all of them or, with
 * an ApplicationsError, none. One that is there, told by its id or else its name, is replaced; others stay.
 */
export async function importApplications(
  databaseUrl: string,
  content: unknown,
  { log, clock, newId, workspace }: ImportOptions,
): Promise<{ created: number; replaced: number }> {
  const applications = read(content);
  const database = openDatabase<Tables>({ url: databaseUrl, schema: SCHEMA, log, poolSize: 1 });
  try {
    await migrate(database, migrations);
    return await transaction(database.db, async (tx) => {
      const workspaceId = await workspaceOf(tx, workspace);
      const now = clock.now();
      let created = 0;
      for (const [index, application] of applications.entries()) {
        await checkPeople(tx, workspaceId, application, index);
        if (await save(tx, workspaceId, application, { newId, now })) created++;
      }
      return { created, replaced: applications.length - created };
    });
  } catch (error) {
    if (error instanceof ServiceProblem)
      throw new ApplicationsError(`${error.issues?.[0]?.path ?? ''}: ${error.message}`, { cause: error });
    throw error;
  } finally {
    await database.close();
  }
}

function read(content: unknown): ApplicationInput[] {
  const file = applicationsFile.safeParse(Array.isArray(content) ? { applications: content } : content);
  if (!file.success) {
    const issues = file.error.issues.map(({ path, message }) => `${path.map(String).join('.')}: ${message}`);
    throw new ApplicationsError(issues.join('\n'));
  }
  const { applications } = file.data;
  const names = applications.map(({ name }) => name.trim().toLowerCase());
  const twice = names.find((name, index) => names.indexOf(name) !== index);
  if (twice !== undefined) throw new ApplicationsError(`applications: "${twice}" is there twice`);
  return applications;
}

async function workspaceOf(tx: ServiceTx, named: string | undefined): Promise<string> {
  if (named === undefined) {
    const first = await lockFirstWorkspace(tx);
    if (first === undefined)
      throw new ApplicationsError('There is no workspace yet: start the service once.');
    return first;
  }
  const row = await tx
    .selectFrom('workspace')
    .select('id')
    .where('deleted_at', 'is', null)
    .where((where) => where.or([where('id', '=', named), where('slug', '=', named)]))
    .executeTakeFirst();
  if (!row) throw new ApplicationsError(`There is no workspace "${named}".`);
  return row.id;
}

async function checkPeople(
  tx: ServiceTx,
  workspaceId: string,
  application: ApplicationInput,
  index: number,
): Promise<void> {
  const at = `applications.${index}`;
  if (application.ownerId)
    await requireIds(tx, 'person', workspaceId, [application.ownerId], `${at}.ownerId`);
  await requireIds(tx, 'person', workspaceId, application.approverIds ?? [], `${at}.approverIds`);
  for (const [place, { approverIds }] of (application.accessLevels ?? []).entries())
    await requireIds(tx, 'person', workspaceId, approverIds ?? [], `${at}.accessLevels.${place}.approverIds`);
}

/** Whether it is a new one. */
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
  await requireFreeName(tx, workspaceId, name.trim(), stored?.id ?? '');
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

/** A name is one application's in its workspace, ignoring case; the unique index holds the same against races. */
async function requireFreeName(tx: ServiceTx, workspaceId: string, name: string, own: string): Promise<void> {
  const taken = await tx
    .selectFrom('application')
    .select('id')
    .where('workspace_id', '=', workspaceId)
    .where(sql<string>`lower(name)`, '=', sql<string>`lower(${name})`)
    .where('id', '<>', own)
    .executeTakeFirst();
  if (taken) throw new ApplicationsError(`applications: "${name}" is the name of ${taken.id} already`);
}
