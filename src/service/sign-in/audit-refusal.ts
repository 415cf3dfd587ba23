import { transaction } from '../../platform/database/open.ts';
import { writeAudit } from '../audit/write.ts';
import type { ServiceDb, Tools } from '../handler.ts';
import type { RefusalCode, SignInRefused } from './refusal.ts';

/**
 * The refusals of somebody whom a provider or a link has identified. Anyone can cause the others: only the log has
 * them.
 */
const REASONS: Partial<Record<RefusalCode, string>> = {
  unknown: 'No user has the account that signed in.',
  unverified: 'The provider has not verified the e-mail address of the account that signed in.',
  'no-email': 'The provider sent no e-mail address (claim email) of the account that signed in.',
  deactivated: 'The user is deactivated.',
};
const TOO_OFTEN = 'The user signed in too often within a minute.';

/** Records a refused sign-in; one of nobody's is recorded in the oldest workspace. */
export async function auditRefusal(
  db: ServiceDb,
  context: Pick<Tools, 'newId'> & { now: Date },
  { code, person }: SignInRefused,
): Promise<void> {
  const reason = REASONS[code] ?? (person && TOO_OFTEN);
  if (reason === undefined) return;
  await transaction(db, async (tx) => {
    const oldest = tx
      .selectFrom('workspace')
      .select('id')
      .where('deleted_at', 'is', null)
      .orderBy('created_at')
      .orderBy('id');
    const workspaceId = person?.workspaceId ?? (await oldest.executeTakeFirst())?.id;
    if (workspaceId === undefined) return;
    const subjectId = person?.personId ?? null;
    await writeAudit(tx, context, { workspaceId, action: 'sign-in.refused', subjectId, reason });
  });
}
