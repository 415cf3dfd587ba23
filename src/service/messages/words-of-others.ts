import { actorOf, writeAudit } from '../audit/write.ts';
import type { Caller, ServiceTx, Tools } from '../handler.ts';
import { ServiceProblem } from '../problem.ts';
import { storeChanges } from '../tickets/activity.ts';
import type { TicketKey } from '../tickets/find.ts';

/** Throws 403 if a signed-in person, not an admin, changes what another person wrote or uploaded. */
export function requireAuthorOrAdmin({ session, personId, role }: Caller, authorId: string | null): void {
  if (!session || role === 'admin' || authorId === personId) return;
  throw new ServiceProblem('FORBIDDEN', 'Only its author and admins may change this.');
}

/** A change of another person's message or file. */
type Change = 'messageEdited' | 'messageShared' | 'messageHidden' | 'messageDeleted' | 'fileDeleted';

const SAYS: Record<Change, string> = {
  messageEdited: 'Changed the text of another person’s message.',
  messageShared: 'Made another person’s internal note public.',
  messageHidden: 'Made another person’s message internal.',
  messageDeleted: 'Deleted another person’s message.',
  fileDeleted: 'Deleted another person’s file.',
};
/** The audit log has these from their routes, whoever the author is. */
const AUDITED_ANYWAY: ReadonlySet<Change> = new Set(['messageDeleted', 'fileDeleted']);

/**
 * Records in the ticket's history and in the audit log that someone other than its author changed a message or file. A
 * key that acts for the author, as the bridge does when it follows an edit in chat, leaves no record.
 * @param actorId the user for whom a key acts.
 */
export async function recordChangeByOther(
  tx: ServiceTx,
  context: { tools: Pick<Tools, 'newId'>; caller: Caller; now: Date; actorId?: string | null | undefined },
  {
    ticket,
    id,
    authorId,
    changes,
  }: { ticket: TicketKey; id: string; authorId: string | null; changes: readonly Change[] },
): Promise<void> {
  const { tools, caller, now } = context;
  const actorId = caller.session ? caller.personId : (context.actorId ?? caller.personId);
  if (changes.length === 0 || actorId === authorId) return;
  await storeChanges(
    tx,
    { tools, caller, actorId: context.actorId },
    { ticket, at: now },
    changes.map((field) => ({ kind: 'changed', field, from: null, to: authorId })),
  );
  for (const change of changes.filter((each) => !AUDITED_ANYWAY.has(each)))
    await writeAudit(
      tx,
      { newId: tools.newId, now },
      {
        workspaceId: ticket.workspaceId,
        action: 'message.changed',
        actor: actorOf(caller),
        subjectId: id,
        reason: SAYS[change],
        detail: {
          ticketId: ticket.id,
          authorId,
          change,
          ...(context.actorId && { actorId: context.actorId }),
        },
      },
    );
}
