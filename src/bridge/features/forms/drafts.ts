import type { Selectable } from 'kysely';
import { z } from 'zod';

import { readStored } from '../../blocks/modals.ts';
import type { Bridge } from '../../bridge.ts';
import type { ChatSubmission, Filled } from '../../slack/interaction.ts';
import type { BridgeTables } from '../../schema/tables.ts';
import type { BridgeTx } from '../../work.ts';

/** A submitted form that is not a ticket yet: it waits for the service, or was rejected (B37). */
type FormDraft = Omit<Selectable<BridgeTables['form_draft']>, 'filled' | 'context'> & {
  filled: Filled;
  context: FormPlace;
};

export const FormPlace = z.object({
  /** The channel of a command; a ticket of a linked channel starts there. */
  channel: z.string().optional(),
  /** The message that the ticket is about. */
  message: z.object({ channel: z.string(), root: z.string() }).optional(),
});
export type FormPlace = z.infer<typeof FormPlace>;

const FilledIn = z.record(z.string(), z.union([z.string(), z.array(z.string()), z.null()])).catch({});

/** Returns a form that its user submitted earlier. */
export function findDraft(
  bridge: Pick<Bridge, 'database'>,
  id: string,
  { team, user }: { team: string; user: string },
): Promise<FormDraft | undefined> {
  return draftWith(bridge, { id, team_id: team, chat_user_id: user });
}

/** Returns the form that was submitted in this modal. */
export function findSent(bridge: Pick<Bridge, 'database'>, view: string): Promise<FormDraft | undefined> {
  return draftWith(bridge, { submitted_view: view });
}

async function draftWith(
  { database }: Pick<Bridge, 'database'>,
  key: Partial<Pick<FormDraft, 'id' | 'team_id' | 'chat_user_id' | 'submitted_view'>>,
): Promise<FormDraft | undefined> {
  const row = await database.db
    .selectFrom('form_draft')
    .selectAll()
    .where((where) => where.and(key))
    .executeTakeFirst();
  return (
    row && { ...row, filled: FilledIn.parse(row.filled), context: FormPlace.catch({}).parse(row.context) }
  );
}

/** Stores a submitted form until it is a ticket; it replaces the one that was opened again as `again`. */
export async function sendDraft(
  { database, clock, newId }: Pick<Bridge, 'database' | 'clock' | 'newId'>,
  { team, user, viewId, filled }: Pick<ChatSubmission, 'team' | 'user' | 'viewId' | 'filled'>,
  place: FormPlace,
  again: string | undefined,
): Promise<void> {
  const by = { team_id: team, chat_user_id: user };
  const values = { filled: JSON.stringify(filled), context: JSON.stringify(place), updated_at: clock.now() };
  await database.db
    .insertInto('form_draft')
    .values({ id: newId('frm'), submitted_view: viewId, ...by, ...values })
    .onConflict((conflict) => conflict.column('submitted_view').doNothing())
    .execute();
  if (again === undefined) return;
  await database.db
    .deleteFrom('form_draft')
    .where((where) => where.and({ id: again, ...by }))
    .where('submitted_view', '<>', viewId)
    .execute();
}

/** Records that the user knows the form is stored; false if they already did. */
export async function recordDelayNotified(tx: BridgeTx, view: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('form_draft')
    .set({ delay_notified: true })
    .where('submitted_view', '=', view)
    .where('delay_notified', '=', false)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** The state of an open form; stored in its `private_metadata`. */
const FormContext = FormPlace.extend({
  /** The submitted form that was opened again. */
  again: z.string().optional(),
  /** References of the similar tickets that it shows. */
  similar: z.array(z.string()).optional(),
  /** The request type whose questions it shows. */
  type: z.string().nullable(),
});
export type FormContext = z.infer<typeof FormContext>;

/** Undefined if it is not ours. */
export function readFormContext(metadata: string): FormContext | undefined {
  return readStored(FormContext, metadata);
}
