import { type AuditAction, type Route, type RouteName, routes } from '../../contract/index.ts';
import type { Call, Caller, Handlers, ServiceDb, ServiceTx, Tools } from '../handler.ts';
import { ServiceProblem } from '../problem.ts';
import { type Changes, changesBetween } from './changes.ts';
import { actorOf, writeAudit } from './write.ts';

type AnyCall = Omit<Call<RouteName>, 'outbox'>;
type StoredRecord = { id: string; [field: string]: unknown };
/** A reading handler without its types: which one is called is known only at run time. */
type Read = (call: object, db: ServiceDb) => Promise<unknown>;

/** Returns the action of an operation in the audit log; undefined if it is not recorded, or by its handler. */
function actionOf(route: Route): AuditAction | undefined {
  if (route.audit === 'own') return undefined;
  return route.audit ?? (route.role === 'admin' && route.method !== 'GET' ? 'settings.changed' : undefined);
}

/** Actions whose entries show the changed fields. */
const SHOWS_CHANGES: ReadonlySet<AuditAction> = new Set([
  'settings.changed',
  'user.changed',
  'api-key.created',
  'api-key.revoked',
]);

/** Returns what changed as the actions that admins look for, each with its fields. */
function actionsOf(action: AuditAction, changes: Changes): [AuditAction, Changes][] {
  if (action !== 'user.changed') return [[action, changes]];
  const { role, queueIds, deactivatedAt, ...others } = changes;
  const access = { ...(role && { role }), ...(queueIds && { queueIds }) };
  return (
    [
      ['user.role-changed', access],
      [
        deactivatedAt?.after ? 'user.deactivated' : 'user.reactivated',
        deactivatedAt ? { deactivatedAt } : {},
      ],
      ['user.changed', others],
    ] satisfies [AuditAction, Changes][]
  ).filter(([, some]) => Object.keys(some).length > 0);
}

/**
 * Runs a write and records it in the audit log, in its transaction: who did it, and the changed fields. The record is
 * read by the operation that answers it, so the log has the fields and names of the API. A repeated write, which
 * changes nothing, is not recorded.
 */
export async function recorded(
  name: RouteName,
  call: AnyCall,
  { tx, handlers, newId }: { tx: ServiceTx; handlers: Handlers } & Pick<Tools, 'newId'>,
  write: () => Promise<unknown>,
): Promise<unknown> {
  const route: Route = routes[name];
  const action = actionOf(route);
  if (action === undefined) return write();
  const isDeleted = route.method === 'DELETE';
  const showsChanges = SHOWS_CHANGES.has(action);
  const before = showsChanges && !isDeleted ? await recordBefore(route, call, handlers, tx) : undefined;
  const answer = await write();
  const record = answer as StoredRecord;
  const isUpdate = before !== undefined && before.id === record.id;
  const old = isDeleted ? record : isUpdate ? before : undefined;
  const changes = showsChanges ? changesBetween(old, isDeleted ? undefined : record) : {};
  const workspaceId = await workspaceOf(tx, route, record, call.caller);
  for (const [one, its] of actionsOf(action, changes)) {
    const fields = Object.keys(its);
    if (isUpdate && fields.length === 0) continue;
    await writeAudit(
      tx,
      { newId, now: call.now },
      {
        workspaceId,
        action: one,
        actor: actorOf(call.caller),
        subjectId: record.id,
        reason: isUpdate ? `${route.summary}: ${fields.join(', ')}.` : `${route.summary}.`,
        detail: { operation: name, ...(showsChanges && { changes: its }) },
      },
    );
  }
  return answer;
}

/** Returns the record that a write is about to change; undefined if it creates one. */
async function recordBefore(
  { method, path }: Route,
  { caller, params, body, now }: AnyCall,
  handlers: Handlers,
  tx: ServiceTx,
): Promise<StoredRecord | undefined> {
  const collection = `/${path.split('/')[1] ?? ''}`;
  const isNamed = path.includes('{');
  const id = ((isNamed ? params : body) as { id?: string | null } | undefined)?.id;
  // A POST below a record creates another one.
  if (!id || (isNamed && method === 'POST')) return undefined;
  const read = async (at: string, query: object) => {
    const [name] =
      Object.entries(routes).find(([, route]) => route.method === 'GET' && route.path === at) ?? [];
    if (name === undefined) return undefined;
    const answer = await (handlers[name as RouteName] as Read)({ caller, params: { id }, query, now }, tx);
    return answer as StoredRecord & { items?: StoredRecord[] };
  };
  try {
    const one = await read(`${collection}/{id}`, {});
    if (one) return one;
    for (const workspaceId of caller.workspaceIds) {
      const listed = await read(collection, { set: id, limit: 1, workspaceId });
      if (listed?.items?.[0]) return listed.items[0];
    }
    return undefined;
  } catch (error) {
    // The write itself answers that.
    if (error instanceof ServiceProblem) return undefined;
    throw error;
  }
}

/** Returns the workspace that a record belongs to, where the key can access several. */
async function workspaceOf(
  tx: ServiceTx,
  { path }: Route,
  record: StoredRecord,
  { workspaceId: home, workspaceIds }: Caller,
): Promise<string> {
  if (path.startsWith('/workspaces')) return record.id;
  if (typeof record['defaultWorkspaceId'] === 'string') return record['defaultWorkspaceId'];
  for (const one of [record, record['queue'], record['statusGroup']]) {
    const its = (one as { workspaceId?: unknown } | null | undefined)?.workspaceId;
    if (typeof its === 'string') return its;
  }
  if (workspaceIds.length === 1) return home;
  const [table, id] =
    'kbId' in record
      ? (['knowledge_base', record['kbId']] as const)
      : 'ticketId' in record
        ? (['ticket', record['ticketId']] as const)
        : (['workflow', record.id] as const);
  const row = await tx
    .selectFrom(table)
    .select('workspace_id')
    .where('workspace_id', 'in', workspaceIds)
    .where('id', '=', String(id))
    .executeTakeFirst();
  return row?.workspace_id ?? home;
}
