/** The parts of a ticket that identify its workspace. */
export interface PlacedTicket {
  queue: { workspaceId: string } | null;
  status: { statusGroup: { workspaceId: string } };
}

/** Returns the service's workspace of a ticket, even without a queue. */
export function workspaceOf({ queue, status }: PlacedTicket): string {
  return queue?.workspaceId ?? status.statusGroup.workspaceId;
}
