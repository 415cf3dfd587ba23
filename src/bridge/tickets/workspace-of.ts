/** As much of a ticket as says which workspace of the service it is of. */
export interface PlacedTicket {
  queue: { workspaceId: string } | null;
  status: { statusGroup: { workspaceId: string } };
}

/** The service's workspace of a ticket, also of one without a queue. */
export function workspaceOf({ queue, status }: PlacedTicket): string {
  return queue?.workspaceId ?? status.statusGroup.workspaceId;
}
