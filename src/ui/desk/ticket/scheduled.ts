import { useQuery } from '@tanstack/react-query';

import { call, Refusal } from '../api/call.ts';
import { isLacking } from '../api/lacking.ts';
import { operationKey, queryClient } from '../api/query.ts';
import { useSession } from '../api/session.ts';
import type { ItemOf, Message } from '../api/types.ts';

/** A reply that is not sent yet; with the HTML of its text from the desk's server. */
export type Scheduled = ItemOf<'listScheduledReplies'> & { html?: string };
type List = { items: Scheduled[] };

/** Seconds for which a reply can be undone. */
export const UNDO_SECONDS = 10;
const NONE: readonly Scheduled[] = [];

/** The service has none, or not for this person: replies are sent at once. */
let isAbsent = false;

/** Whether a refusal says that the service has no scheduled replies, here and from now on. */
export async function isWithoutScheduled(error: Refusal, ticketId: string): Promise<boolean> {
  if (await isLacking(error, ticketId)) isAbsent = true;
  return isAbsent;
}

const keyOfList = (ticketId: string) => operationKey('listScheduledReplies', { query: { ticketId } });

/** Whether replies wait before they are sent: those of agents. An API key and requesters have no scheduled ones. */
export function useIsDelayed(): boolean {
  const session = useSession();
  return session?.user !== undefined && session.role !== 'requester' && !isAbsent;
}

/** The replies on a ticket that are not sent yet, in the order in which they will be. */
export function useScheduled(ticketId: string): readonly Scheduled[] {
  const enabled = useIsDelayed();
  const { data } = useQuery<List>({
    queryKey: keyOfList(ticketId),
    queryFn: async ({ signal }) => {
      try {
        const list = await call('listScheduledReplies', { query: { ticketId } }, { signal });
        await readSent(ticketId, list.items);
        return list;
      } catch (error) {
        if (!(error instanceof Refusal) || !(await isWithoutScheduled(error, ticketId))) throw error;
        return { items: [] };
      }
    },
    enabled,
  });
  return data?.items ?? NONE;
}

/** A reply that was just sent stays here until it is shown as a message. */
async function readSent(ticketId: string, items: readonly Scheduled[]): Promise<void> {
  if (knownScheduled(ticketId).every(({ id }) => items.some((each) => each.id === id))) return;
  await queryClient.refetchQueries(
    { queryKey: ['listTicketMessages'], type: 'active' },
    { cancelRefetch: false },
  );
}

/** The replies on a ticket that were not sent yet when they were read last. */
export const knownScheduled = (ticketId: string): readonly Scheduled[] =>
  queryClient.getQueryData<List>(keyOfList(ticketId))?.items ?? NONE;

/** Shows other replies on a ticket as not sent yet. A read that is under way may have begun before. */
export async function setScheduled(
  ticketId: string,
  change: (items: readonly Scheduled[]) => Scheduled[],
): Promise<void> {
  await queryClient.cancelQueries({ queryKey: keyOfList(ticketId) });
  queryClient.setQueryData<List>(keyOfList(ticketId), (list) => ({
    ...list,
    items: change(list?.items ?? []),
  }));
}

/** Reads again what is not sent yet. */
export const lookAgain = (ticketId: string) =>
  void queryClient.invalidateQueries({ queryKey: keyOfList(ticketId) });

/** Whether a message of the conversation is a reply that was scheduled. */
export const isSentAs = (reply: Scheduled, message: Message): boolean =>
  message.authorId === reply.authorId &&
  message.content === reply.content &&
  message.createdAt >= reply.sendAt;

/** Returns whether a reply is only delayed so that it can be undone. */
export const isUndoable = ({ sendAt, createdAt, heldBecause }: Scheduled): boolean =>
  heldBecause === null && Date.parse(sendAt) - Date.parse(createdAt) <= UNDO_SECONDS * 1_000;

/** The reply that the person sent last on a ticket, as long as it can be undone. */
export const lastUndoable = (ticketId: string, me: string | undefined): Scheduled | undefined =>
  knownScheduled(ticketId).findLast((each) => each.authorId === me && isUndoable(each));
