import type { Answer, Client } from '../../client/index.ts';
import { statusesFor } from '../../contract/index.ts';
import { Cache } from '../../platform/cache.ts';
import type { Clock } from '../../platform/clock.ts';
import { type PlacedTicket, workspaceOf } from './workspace-of.ts';

type Status = Answer<'listStatuses'>['items'][number];

const KEEP_WORKSPACES = 500;

/** The statuses of workspaces, from the service. Throws ServiceError. */
export class Statuses {
  readonly #service: Client;
  readonly #kept: Cache<readonly Status[]>;

  /** @param keepMs cache time: statuses change rarely and are needed for every card. */
  constructor(service: Client, clock: Clock, keepMs: number) {
    this.#service = service;
    this.#kept = new Cache(KEEP_WORKSPACES, { clock, ms: keepMs });
  }

  /** Returns those that a ticket may have, in their order. */
  of(ticket: PlacedTicket & { requestTypeId: string | null }): Promise<readonly Status[]> {
    return this.ofType(workspaceOf(ticket), ticket.requestTypeId);
  }

  /** Returns those that tickets of a request type may have. */
  async ofType(workspaceId: string, requestTypeId: string | null): Promise<readonly Status[]> {
    return statusesFor(requestTypeId, await this.#inWorkspace(workspaceId));
  }

  #inWorkspace(workspaceId: string): Promise<readonly Status[]> {
    return this.#kept.get(workspaceId, async () => {
      const query = { sortBy: 'order' as const, workspaceId };
      return (await this.#service.listStatuses({ query })).items;
    });
  }
}
