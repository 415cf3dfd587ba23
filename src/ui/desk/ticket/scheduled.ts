import { useQuery } from '@tanstack/react-query';

import { call, Refusal } from '../api/call.ts';
import { isLacking } from '../api/lacking.ts';
import { keyOf, queryClient } from '../api/query.ts';
import { useSession } from '../api/session.ts';
import { ticketsChanged } from '../api/tickets.ts';
import type { BodyOf, ItemOf, Message, TicketDetail } from '../api/types.ts';
import type { FileRecord } from '../files/record.ts';

/** A reply that is not sent yet; with the HTML of its text from the desk's server. */
export type Scheduled = ItemOf<'listScheduledReplies'> & { html?: string };
type List = { items: Scheduled[] };

/** Seconds for which a reply can be undone. */
export const UNDO_SECONDS = 10;
const NONE: readonly Scheduled[] = [];

/** The service has none, or not for this person: replies are sent at once. */
let isAbsent = false;

const keyOfList = (ticketId: string) => keyOf('listScheduledReplies', { query: { ticketId } });

/** Whether replies wait before they are sent. An API key sends them at once: it has none of its own to undo. */
export function useIsDelayed(): boolean {
  return useSession()?.user !== undefined && !isAbsent;
}

/** The replies on a ticket that are not sent yet, in the order in which they will be. */
export function useScheduled(ticketId: string): readonly Scheduled[] {
  const enabled = useIsDelayed();
  const { data } = useQuery<List>({
    queryKey: keyOfList(ticketId),
    queryFn: async ({ signal }) => {
      try {
        const list = await call('listScheduledReplies', { query: { ticketId } }, { signal });
        await readSent(ticketId, list);
        return list;
      } catch (error) {
        if (!(error instanceof Refusal) || !(await isLacking(error, ticketId))) throw error;
        isAbsent = true;
        return { items: [] };
      }
    },
    enabled,
  });
  return data?.items ?? NONE;
}

/** What is sent since the last read is shown as a message before it is gone here. */
async function readSent(ticketId: string, { items }: List): Promise<void> {
  const before = queryClient.getQueryData<List>(keyOfList(ticketId))?.items ?? [];
  if (before.every(({ id }) => items.some((each) => each.id === id))) return;
  await queryClient.refetchQueries(
    { queryKey: ['listTicketMessages'], type: 'active' },
    { cancelRefetch: false },
  );
}

/** Whether a message of the conversation is a reply that was scheduled. */
export const isSentAs = (reply: Scheduled, message: Message): boolean =>
  message.authorId === reply.authorId &&
  message.content === reply.content &&
  message.createdAt >= reply.sendAt;

/** Whether a reply waits only so that it can be undone. */
export const isUndoable = ({ sendAt, createdAt, heldBecause }: Scheduled): boolean =>
  heldBecause === null && Date.parse(sendAt) - Date.parse(createdAt) <= UNDO_SECONDS * 1_000;

/** The reply that the person sent last on a ticket, as long as it can be undone. */
export const lastUndoable = (ticketId: string, me: string | undefined): Scheduled | undefined =>
  queryClient
    .getQueryData<List>(keyOfList(ticketId))
    ?.items.findLast((each) => each.authorId === me && isUndoable(each));

const setList = (ticketId: string, change: (items: Scheduled[]) => Scheduled[]) =>
  queryClient.setQueryData<List>(keyOfList(ticketId), (list) => ({
    ...list,
    items: change(list?.items ?? []),
  }));

/** Reads again what is not sent yet. */
export const lookAgain = (ticketId: string) =>
  void queryClient.invalidateQueries({ queryKey: keyOfList(ticketId) });

export interface NewReply {
  content: string;
  files: readonly FileRecord[];
  /** When it is sent; absent: once it can no longer be undone. */
  sendAt?: Date | undefined;
  /** The status that the ticket gets with it. */
  statusId?: string | undefined;
}

/**
 * Schedules a reply; resolves to undefined where the service has none. If the response is lost, the list is read before a
 * failure is reported. Throws Refusal.
 */
export async function scheduleReply(
  { id: ticketId }: Pick<TicketDetail, 'id'>,
  { content, files, sendAt, statusId }: NewReply,
): Promise<Scheduled | undefined> {
  const known = new Set(queryClient.getQueryData<List>(keyOfList(ticketId))?.items.map(({ id }) => id));
  const body = {
    ticketId,
    content,
    ...(sendAt ? { sendAt: sendAt.toISOString() } : { delaySeconds: UNDO_SECONDS }),
    ...(files.length > 0 && { fileIds: files.map(({ id }) => id) }),
    ...(statusId !== undefined && { statusId }),
  } as BodyOf<'createScheduledReply'>;
  const reply = await stored();
  if (!reply) return undefined;
  // A read that is under way may have begun before.
  await queryClient.cancelQueries({ queryKey: keyOfList(ticketId) });
  setList(ticketId, (items) => [...items.filter(({ id }) => id !== reply.id), reply]);
  return reply;

  async function stored(): Promise<Scheduled | undefined> {
    try {
      return await call('createScheduledReply', { body });
    } catch (error) {
      if (!(error instanceof Refusal)) throw error;
      if (await isLacking(error, ticketId)) {
        isAbsent = true;
        return undefined;
      }
      const isUncertain = error.status === 0 || error.status >= 500;
      const arrived = isUncertain ? await find() : undefined;
      if (!arrived) throw error;
      return arrived;
    }
  }

  async function find(): Promise<Scheduled | undefined> {
    try {
      const { items } = await call('listScheduledReplies', { query: { ticketId } });
      return items.find((each) => !known.has(each.id) && each.content === content);
    } catch {
      return undefined;
    }
  }
}

/** Changes the text or the time of a reply. Throws Refusal. */
export async function changeScheduled(
  { id, ticketId }: Scheduled,
  body: BodyOf<'updateScheduledReply'>,
): Promise<void> {
  const reply: Scheduled = await call('updateScheduledReply', { params: { id }, body });
  await queryClient.cancelQueries({ queryKey: keyOfList(ticketId) });
  setList(ticketId, (items) => items.map((each) => (each.id === id ? reply : each)));
}

/** Deletes a reply before it is sent. Throws Refusal: 404 if it was. */
export async function deleteScheduled({ id, ticketId }: Scheduled): Promise<void> {
  try {
    await call('deleteScheduledReply', { params: { id } });
  } finally {
    setList(ticketId, (items) => items.filter((each) => each.id !== id));
    ticketsChanged([ticketId]);
  }
}
