import type { Answer, Client } from '../../client/index.ts';
import { statusesFor } from '../../contract/index.ts';
import { BoundedMap } from '../../platform/bounded-map.ts';
import type { Clock } from '../../platform/clock.ts';
import { type PlacedTicket, workspaceOf } from './workspace-of.ts';

export type Status = Answer<'listStatuses'>['items'][number];

const KEEP_WORKSPACES = 500;

/** The statuses of workspaces, as the service has them. Throws ServiceError. */
export class Statuses {
  readonly #service: Client;
  readonly #clock: Clock;
  readonly #keepMs: number;
  readonly #kept = new BoundedMap<string, { statuses: readonly Status[]; readAt: number }>(KEEP_WORKSPACES);

  /** @param keepMs how long what was read is used: statuses change rarely and are asked for with every card. */
  constructor(service: Client, clock: Clock, keepMs: number) {
    this.#service = service;
    this.#clock = clock;
    this.#keepMs = keepMs;
  }

  /** Those that a ticket may have, in their order. */
  of(ticket: PlacedTicket & { requestTypeId: string | null }): Promise<readonly Status[]> {
    return this.ofType(workspaceOf(ticket), ticket.requestTypeId);
  }

  /** Those that tickets of a request type may have. */
  async ofType(workspaceId: string, requestTypeId: string | null): Promise<readonly Status[]> {
    return statusesFor(requestTypeId, await this.#inWorkspace(workspaceId));
  }

  async #inWorkspace(workspaceId: string): Promise<readonly Status[]> {
    const now = this.#clock.now().getTime();
    const kept = this.#kept.get(workspaceId);
    if (kept && now - kept.readAt < this.#keepMs) return kept.statuses;
    const query = { sortBy: 'order' as const, workspaceId };
    const { items } = await this.#service.listStatuses({ query });
    this.#kept.set(workspaceId, { statuses: items, readAt: now });
    return items;
  }
}
