import { requireAccess, visibleAmong } from '../access/ticket-access.ts';
import type { Call, Caller, Handlers, ServiceDb, ServiceTx, Tools } from '../handler.ts';
import { found, unprocessable } from '../problem.ts';
import { activityOf } from '../tickets/activity.ts';
import { type TicketKey, ticketNamed } from '../tickets/find.ts';
import { linkTicket, unlinkTicket } from '../tickets/links.ts';
import { mergeTicket } from './merge.ts';
import { presenceOn, recordPresence } from '../tickets/presence.ts';
import { ticketDetail } from '../tickets/records.ts';
import { shownTicket } from '../tickets/shown.ts';
import type { ChangingTogether } from '../tickets/together.ts';

type Names =
  'readTicketActivity' | 'mergeTicket' | 'linkTicket' | 'unlinkTicket' | 'readPresence' | 'putPresence';
type AnyCall = Pick<Call<'mergeTicket'>, 'caller' | 'now' | 'outbox' | 'params' | 'query'>;

/** Handlers of what several users do with a ticket, and with several tickets. */
export function sharedTicketHandlers(tools: Tools): Pick<Handlers, Names> {
  /** The team's ticket that a call names, not locked yet. */
  const teamTicket = async (tx: ServiceTx, call: Pick<AnyCall, 'caller' | 'params' | 'query'>) => {
    const key = await visibleTicket(tx, call);
    await requireAccess(tx, call.caller, key, 'team');
    return key;
  };
  const changing = (
    { caller, now, outbox }: AnyCall,
    actorId: string | null | undefined,
  ): ChangingTogether => ({ tools, caller, now, outbox, actorId });
  const shown = async (tx: ServiceTx, { caller, now }: AnyCall, key: TicketKey) =>
    shownTicket(tx, caller, await ticketDetail(tx, key, now), now);

  return {
    async readTicketActivity(call, db) {
      const key = await visibleTicket(db, call);
      await call.caller.noteOpened?.(db, [key.id]);
      const ticket = await ticketDetail(db, key, call.now);
      return { items: await activityOf(db, call.caller, { workspaceId: key.workspaceId, ticket }) };
    },

    async mergeTicket(call, tx) {
      const { intoId, userId } = call.body;
      const target = await mergeTicket(tx, changing(call, userId), await teamTicket(tx, call), intoId);
      return shown(tx, call, target);
    },

    async linkTicket(call, tx) {
      const key = await teamTicket(tx, call);
      await linkTicket(tx, changing(call, call.body.userId), key, call.body);
      return shown(tx, call, key);
    },

    async unlinkTicket(call, tx) {
      const key = await teamTicket(tx, call);
      await unlinkTicket(tx, changing(call, undefined), key, call.params.linkId);
      return shown(tx, call, key);
    },

    async readPresence(call, db) {
      return presenceOn(db, await visibleTicket(db, call), call.now);
    },

    async putPresence(call, tx) {
      const { caller, body, now } = call;
      const key = await visibleTicket(tx, call);
      const userId = body.userId ?? caller.personId;
      if (userId === null)
        throw unprocessable('userId', 'Say which user it is: this key has none of its own');
      await recordPresence(tx, key, { userId, state: body.state }, now);
      return presenceOn(tx, key, now);
    },
  };
}

/** Returns the ticket that a call names; 404 if the caller sees no such ticket. */
async function visibleTicket(
  db: ServiceDb,
  {
    caller,
    params,
    query,
  }: { caller: Caller; params: { id: string }; query: { workspaceId?: string | null | undefined } },
): Promise<TicketKey> {
  const { workspaceIds, id } = found(await ticketNamed(db, caller, params.id, query.workspaceId));
  const [visible] = await visibleAmong(db, caller, workspaceIds, [id]);
  const row = await db
    .selectFrom('ticket')
    .select('workspace_id')
    .where('workspace_id', 'in', workspaceIds)
    .where('id', '=', visible ?? '')
    .executeTakeFirst();
  return { workspaceId: found(row).workspace_id, id };
}
