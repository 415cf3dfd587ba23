import { type BusinessHours, ID_PREFIXES, type ParsedBody } from '../../contract/index.ts';
import type { Handlers, ServiceTx, Tools } from '../handler.ts';
import { contains, idsInSet, isOneOf, listedWorkspaces } from '../lists/filters.ts';
import { jsonBytesOf, selectPage, textKey, timeKey } from '../lists/page.ts';
import { readPage } from '../lists/read-page.ts';
import { found, unprocessable } from '../problem.ts';
import { lockVisible, requireWorkspace } from '../references.ts';
import { dueTimesWork } from '../due-times/work.ts';
import { businessHoursRecords } from './records.ts';
import { timeOf } from '../../platform/working-time.ts';

const ORDER = {
  keys: {
    name: textKey('h.name'),
    timeZone: textKey('h.time_zone'),
    createdAt: timeKey('h.created_at'),
    updatedAt: timeKey('h.updated_at'),
  },
  sortBy: 'name',
  sortDirection: 'asc',
  id: 'h.id',
  bytes: jsonBytesOf('h.days', 'h.holidays'),
} as const;

type Names = 'listBusinessHours' | 'createBusinessHours' | 'updateBusinessHours' | 'deleteBusinessHours';

/** Business hours. Every change gives the open tickets of the workspace new due times, in the background. */
export function businessHoursHandlers({ newId }: Tools): Pick<Handlers, Names> {
  return {
    async listBusinessHours({ caller, query }, db) {
      let rows = db
        .selectFrom('business_hours as h')
        .where(isOneOf('h.workspace_id', listedWorkspaces(caller, query.workspaceId)));
      const ids = idsInSet(query.set);
      if (ids) rows = rows.where(isOneOf('h.id', ids));
      if (query.search) rows = rows.where(contains(['h.name'], query.search));
      return readPage(caller, await selectPage(rows, ORDER, query), (shown) =>
        businessHoursRecords(db, caller.workspaceIds, shown),
      );
    },

    async createBusinessHours({ caller, body, now, outbox }, tx) {
      const workspaceId = requireWorkspace(caller, body.workspaceId);
      const id = newId(ID_PREFIXES.businessHours);
      if (body.isDefault) await clearDefault(tx, workspaceId);
      const { name, timeZone, days, holidays = [], isDefault = false } = body;
      requireSpans(days);
      await tx
        .insertInto('business_hours')
        .values({
          workspace_id: workspaceId,
          id,
          name: name.trim(),
          time_zone: timeZone,
          days: JSON.stringify(days),
          holidays: JSON.stringify(holidays),
          is_default: isDefault,
          created_at: now,
          updated_at: now,
        })
        .execute();
      if (isDefault) outbox.plan(dueTimesWork({ workspaceId }));
      return found((await businessHoursRecords(tx, [workspaceId], [id]))[0]);
    },

    async updateBusinessHours({ caller, params: { id }, body, now, outbox }, tx) {
      const workspaceId = await lockVisible(tx, caller, 'business_hours', id);
      if (body.isDefault) await clearDefault(tx, workspaceId);
      await tx
        .updateTable('business_hours')
        .set({ ...columnsOf(body), updated_at: now })
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .execute();
      outbox.plan(dueTimesWork({ workspaceId }));
      return found((await businessHoursRecords(tx, [workspaceId], [id]))[0]);
    },

    async deleteBusinessHours({ caller, params: { id }, outbox }, tx) {
      const workspaceId = await lockVisible(tx, caller, 'business_hours', id, 'delete');
      const record = found((await businessHoursRecords(tx, [workspaceId], [id]))[0]);
      await tx
        .updateTable('queue')
        .set({ business_hours_id: null })
        .where('workspace_id', '=', workspaceId)
        .where('business_hours_id', '=', id)
        .execute();
      await tx
        .deleteFrom('business_hours')
        .where('workspace_id', '=', workspaceId)
        .where('id', '=', id)
        .execute();
      outbox.plan(dueTimesWork({ workspaceId }));
      return record;
    },
  };
}

function columnsOf({ name, timeZone, days, holidays, isDefault }: ParsedBody<'updateBusinessHours'>) {
  if (days) requireSpans(days);
  return {
    ...(name !== undefined && { name: name.trim() }),
    ...(timeZone !== undefined && { time_zone: timeZone }),
    ...(days && { days: JSON.stringify(days) }),
    ...(holidays && { holidays: JSON.stringify(holidays) }),
    ...(isDefault !== undefined && { is_default: isDefault }),
  };
}

/** The former default; the unique index enforces that there is one at most. */
async function clearDefault(tx: ServiceTx, workspaceId: string): Promise<void> {
  await tx
    .updateTable('business_hours')
    .set({ is_default: false })
    .where('workspace_id', '=', workspaceId)
    .where('is_default', '=', true)
    .execute();
}

/** Throws 422 unless there is working time and every span ends on its day, before the next one begins. */
function requireSpans(days: BusinessHours['days']): void {
  if (days.length === 0)
    throw unprocessable('days', 'Add a span: without working time, no target would ever end');
  for (const [index, { day, from, to }] of days.entries()) {
    if (timeOf(from) >= timeOf(to))
      throw unprocessable(
        `days.${index}`,
        `The span ${from} to ${to} does not end on its day. Split it at midnight: ${from} to 24:00, and 00:00 to ${to} on the next day`,
      );
    const other = days
      .slice(0, index)
      .find((span) => span.day === day && timeOf(span.from) < timeOf(to) && timeOf(from) < timeOf(span.to));
    if (other)
      throw unprocessable(
        `days.${index}`,
        `The span ${from} to ${to} overlaps ${other.from} to ${other.to} of the same day`,
      );
  }
}
