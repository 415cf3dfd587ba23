import { type Selectable, sql } from 'kysely';
import { z } from 'zod';

import { transaction, type Tx } from '../../../platform/database/open.ts';
import type { Bridge } from '../../bridge.ts';
import type { Filled } from '../cards/manage-rules.ts';
import type { BridgeTables, FormDraftTable } from '../../schema/tables.ts';

/** What somebody has filled into a form and not submitted, or what could not become a ticket (B37). */
export type FormDraft = Omit<Selectable<FormDraftTable>, 'filled' | 'context'> & {
  filled: Filled;
  context: FormPlace;
};

/** Where a form was opened. */
export const FormPlace = z.object({
  /** The channel of a command; a ticket of a linked channel begins there. */
  channel: z.string().optional(),
  /** The message that the ticket is about. */
  message: z.object({ channel: z.string(), root: z.string() }).optional(),
});
export type FormPlace = z.infer<typeof FormPlace>;

const FilledIn = z.record(z.string(), z.union([z.string(), z.array(z.string()), z.null()])).catch({});

type Handle = Pick<Bridge, 'database' | 'clock' | 'newId'>;

/** The form that somebody has begun at this place, or a new one. Two at the same moment are one. */
export async function beginDraft(
  { database, clock, newId }: Handle,
  { team, user, place, filled }: { team: string; user: string; place: FormPlace; filled: Filled },
): Promise<FormDraft> {
  const row = await database.db
    .insertInto('form_draft')
    .values({
      id: newId('frm'),
      team_id: team,
      chat_user_id: user,
      place: placeKey(place),
      context: JSON.stringify(place),
      filled: JSON.stringify(filled),
      updated_at: clock.now(),
    })
    // What there is stays: it is what the person has typed.
    .onConflict((conflict) =>
      conflict.columns(['team_id', 'chat_user_id', 'place']).doUpdateSet({
        context: sql`excluded.context`,
        updated_at: sql`excluded.updated_at`,
      }),
    )
    .returningAll()
    .executeTakeFirstOrThrow();
  return read(row);
}

export async function findDraft(
  { database }: Pick<Bridge, 'database'>,
  id: string,
  { team, user }: { team: string; user: string },
): Promise<FormDraft | undefined> {
  const row = await database.db
    .selectFrom('form_draft')
    .selectAll()
    .where('id', '=', id)
    .where('team_id', '=', team)
    .where('chat_user_id', '=', user)
    .executeTakeFirst();
  return row && read(row);
}

/**
 * Keeps what stands in an open form. What is told late of an earlier moment, and of a form that was submitted, changes
 * nothing.
 */
export async function keepTyped(
  { database, clock }: Pick<Bridge, 'database' | 'clock'>,
  { id, team, user, filled, at }: { id: string; team: string; user: string; filled: Filled; at: string },
): Promise<void> {
  await transaction(database.db, async (tx) => {
    const row = await tx
      .selectFrom('form_draft')
      .select('filled')
      .where('id', '=', id)
      .where('team_id', '=', team)
      .where('chat_user_id', '=', user)
      .where('typed_at', '<', at)
      .where('sent_view', 'is', null)
      .forUpdate()
      .executeTakeFirst();
    if (!row) return;
    // What another kind of request asks is not in the view now, and is still there when it is chosen again.
    const merged = { ...FilledIn.parse(row.filled), ...filled };
    await tx
      .updateTable('form_draft')
      .set({ filled: JSON.stringify(merged), typed_at: at, updated_at: clock.now() })
      .where('id', '=', id)
      .execute();
  });
}

/** Sets a submitted form aside: what the person begins next is another one. What was submitted is what it holds. */
export async function sendDraft(
  { database, clock, newId }: Handle,
  {
    id,
    team,
    user,
    view,
    filled,
    place,
  }: { id: string; team: string; user: string; view: string; filled: Filled; place: FormPlace },
): Promise<void> {
  const values = {
    place: `sent ${view}`,
    sent_view: view,
    filled: JSON.stringify(filled),
    context: JSON.stringify(place),
    updated_at: clock.now(),
  };
  await database.db
    .insertInto('form_draft')
    .values({ id: newId('frm'), team_id: team, chat_user_id: user, ...values })
    .onConflict((conflict) => conflict.columns(['team_id', 'chat_user_id', 'place']).doNothing())
    .execute();
  await database.db
    .deleteFrom('form_draft')
    .where('id', '=', id)
    .where('team_id', '=', team)
    .where('chat_user_id', '=', user)
    .where('sent_view', 'is', null)
    .execute();
}

/** Opens a form again that was submitted, as it was; it takes the place of what was begun there meanwhile. */
export async function reopenDraft({ database, clock }: Handle, draft: FormDraft): Promise<void> {
  const place = placeKey(draft.context);
  await transaction(database.db, async (tx) => {
    await tx
      .deleteFrom('form_draft')
      .where('team_id', '=', draft.team_id)
      .where('chat_user_id', '=', draft.chat_user_id)
      .where('place', '=', place)
      .where('id', '<>', draft.id)
      .execute();
    await tx
      .updateTable('form_draft')
      .set({ place, sent_view: null, kept_told: false, typed_at: '', updated_at: clock.now() })
      .where('id', '=', draft.id)
      .execute();
  });
}

/** The form that was submitted in this modal. */
export async function findSent(
  { database }: Pick<Bridge, 'database'>,
  view: string,
): Promise<FormDraft | undefined> {
  const row = await database.db
    .selectFrom('form_draft')
    .selectAll()
    .where('sent_view', '=', view)
    .executeTakeFirst();
  return row && read(row);
}

/** Notes that whoever submitted a form is told that it is kept; false where they were told before. */
export async function noteKept(tx: Tx<BridgeTables>, view: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('form_draft')
    .set({ kept_told: true })
    .where('sent_view', '=', view)
    .where('kept_told', '=', false)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** A form that became a ticket. */
export async function dropDraft(tx: Tx<BridgeTables>, id: string): Promise<void> {
  await tx.deleteFrom('form_draft').where('id', '=', id).execute();
}

/** One form at a time is begun for each message, and one for everything else. */
function placeKey({ message }: FormPlace): string {
  return message ? `message ${message.channel} ${message.root}` : 'new';
}

function read(row: Selectable<FormDraftTable>): FormDraft {
  return {
    ...row,
    filled: FilledIn.parse(row.filled),
    context: FormPlace.catch({}).parse(row.context),
  };
}
