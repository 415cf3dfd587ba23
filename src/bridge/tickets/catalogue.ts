import { type Answer, type Client, ServiceError, AnsweredError } from '../../client/index.ts';
import { statusesFor, offeredForms, type RequestType, type Tolerant } from '../../contract/index.ts';
import { Cache } from '../../platform/cache.ts';
import type { Clock } from '../../platform/clock.ts';
import type { Hours } from '../../platform/working-time.ts';

/** The parts of a ticket that identify its workspace. */
export interface PlacedTicket {
  queue: { workspaceId: string } | null;
  status: { statusGroup: { workspaceId: string } };
}

/** Returns the service's workspace of a ticket, even without a queue. */
export function workspaceOfTicket({ queue, status }: PlacedTicket): string {
  return queue?.workspaceId ?? status.statusGroup.workspaceId;
}

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
    return this.ofType(workspaceOfTicket(ticket), ticket.requestTypeId);
  }

  /** Returns those that tickets of a request type may have. */
  async ofType(workspaceId: string, requestTypeId: string | null): Promise<readonly Status[]> {
    const all = await this.#kept.get(workspaceId, async () => {
      const query = { sortBy: 'order' as const, workspaceId };
      return (await this.#service.listStatuses({ query })).items;
    });
    return statusesFor(requestTypeId, all);
  }
}

/** Business hours by workspace, from the service. */
export class TeamHours {
  readonly #service: Client;
  readonly #kept: Cache<readonly BusinessHours[]>;

  /** @param keepMs cache time. */
  constructor(service: Client, clock: Clock, keepMs: number) {
    this.#service = service;
    this.#kept = new Cache(KEEP_WORKSPACES, { clock, ms: keepMs });
  }

  /**
   * Returns when a queue's team works; undefined for around the clock, also if the service knows no business hours.
   * Throws ServiceError.
   */
  async of({ workspaceId, businessHoursId }: HoursOfQueue): Promise<Hours | undefined> {
    const all = await this.#kept.get(workspaceId, async () => {
      try {
        return (await this.#service.listBusinessHours({ query: { workspaceId } })).items;
      } catch (error) {
        if (error instanceof AnsweredError && error.next === 'give-up') return [];
        throw error;
      }
    });
    return businessHoursId
      ? all.find(({ id }) => id === businessHoursId)
      : all.find(({ isDefault }) => isDefault);
  }
}

/**
 * Knows whether the service itself warns about targets. Such a service also tells requesters when to expect a reply.
 */
export class Warnings {
  readonly #service: Client;
  readonly #kept: Cache<boolean>;

  /** @param keepMs cache time. */
  constructor(service: Client, clock: Clock, keepMs: number) {
    this.#service = service;
    this.#kept = new Cache(1, { clock, ms: keepMs });
  }

  /** Returns false for a service that knows no warnings. Throws ServiceError. */
  areSent(): Promise<boolean> {
    return this.#kept.get('warnings', async () => {
      try {
        await this.#service.listTicketWarnings({ query: { limit: 1 } });
        return true;
      } catch (error) {
        if (error instanceof AnsweredError && error.missing) return false;
        throw error;
      }
    });
  }
}

type BusinessHours = Answer<'listBusinessHours'>['items'][number];

interface HoursOfQueue {
  workspaceId: string;
  /** Absent from a service without business hours. */
  businessHoursId?: string | null | undefined;
}

const HOUR_MS = 3_600_000;
const MEASURED_MS = 30 * 24 * HOUR_MS;
/** Minimum number of replies for an estimate. */
const REPLIES_AT_LEAST = 5;
const KEEP_QUEUES = 500;

type Aggregation = NonNullable<
  Parameters<Client['previewMetric']>[0]['body']['query']['aggregations']
>[number];

interface Queue {
  id: string;
  workspaceId: string;
  settings: {
    targets: Partial<Record<string, { responseMinutes: number | null } | undefined>> | null;
  } | null;
}

/** When queues usually reply first: by their target, else by the median of the last 30 days. */
export class FirstReplies {
  readonly #service: Client;
  readonly #clock: Clock;
  readonly #kept: Cache<number | undefined>;

  constructor(service: Client, clock: Clock) {
    this.#service = service;
    this.#clock = clock;
    this.#kept = new Cache(KEEP_QUEUES, { clock, ms: HOUR_MS });
  }

  /**
   * Returns the usual time in seconds from a ticket's opening, in business hours; undefined without a target or enough
   * replies.
   */
  async usual(queue: Queue, priority: string): Promise<number | undefined> {
    const minutes = queue.settings?.targets?.[priority]?.responseMinutes;
    return minutes ? minutes * 60 : this.#measured(queue);
  }

  #measured(queue: Queue): Promise<number | undefined> {
    return this.#kept.get(queue.id, () =>
      this.#median(queue, this.#clock.now().getTime()).catch((error: unknown) => {
        // A service without analytics, or a slow one: the card omits the sentence.
        if (!(error instanceof ServiceError)) throw error;
        return undefined;
      }),
    );
  }

  async #median({ id, workspaceId }: Queue, now: number): Promise<number | undefined> {
    const dateRange = { from: new Date(now - MEASURED_MS).toISOString(), to: new Date(now).toISOString() };
    const figure = async (aggregation: Aggregation) => {
      const { data } = await this.#service.previewMetric({
        body: {
          workspaceId,
          dateRange,
          query: {
            dataSource: 'Ticket',
            dateField: 'respondedAt',
            aggregations: [aggregation],
            filterGroups: [[{ field: 'queueId', condition: 'equals', value: id }]],
          },
        },
      });
      return data[0]?.value;
    };
    const replies = (await figure({ type: 'count' })) ?? 0;
    if (replies < REPLIES_AT_LEAST) return undefined;
    return figure({ type: 'median', field: 'responseTime' });
  }
}

/** A request type with a form, as in the specification. */
export type Form = Tolerant<RequestType>;

interface Kept<Item> {
  items: readonly Item[];
  readAt: number;
}

/**
 * Caches the forms (`GET /forms`) and the tags. If the service is unavailable, the last known ones are used, if any.
 */
export class Forms {
  readonly #service: Client;
  readonly #workspaceIds: () => Promise<readonly string[]>;
  readonly #clock: Clock;
  readonly #keepMs: number;
  #forms: Kept<Form> | undefined;
  #tags: Kept<{ id: string; label: string }> | undefined;

  /**
   * @param workspaceIds those whose request types and tags are read.
   * @param keepMs cache time: request types change rarely, and users wait for their form.
   */
  constructor(service: Client, workspaceIds: () => Promise<readonly string[]>, clock: Clock, keepMs: number) {
    this.#service = service;
    this.#workspaceIds = workspaceIds;
    this.#clock = clock;
    this.#keepMs = keepMs;
  }

  /** Without collections and unpublished request types. */
  async all(): Promise<readonly Form[]> {
    this.#forms = await this.#read(this.#forms, () => this.#list());
    return this.#forms.items;
  }

  /** Returns one by id; asks the service before reporting it as gone. Throws ServiceError if it is unavailable. */
  async find(id: string): Promise<Form | undefined> {
    const known = (await this.all()).find((form) => form.id === id);
    return known ?? (await this.#list()).find((form) => form.id === id);
  }

  async #list(): Promise<Form[]> {
    const forms: Form[] = [];
    for (const workspaceId of await this.#workspaceIds())
      for await (const form of this.#service.all('listForms', { query: { workspaceId } })) forms.push(form);
    return offeredForms(forms);
  }

  async tags(): Promise<readonly { id: string; label: string }[]> {
    this.#tags = await this.#read(this.#tags, async () => {
      const tags: { id: string; label: string }[] = [];
      for (const workspaceId of await this.#workspaceIds())
        for await (const { id, name } of this.#service.all('listTags', { query: { workspaceId } }))
          tags.push({ id, label: name });
      return tags.toSorted((a, b) => a.label.localeCompare(b.label));
    });
    return this.#tags.items;
  }

  async #read<Item>(kept: Kept<Item> | undefined, read: () => Promise<Item[]>): Promise<Kept<Item>> {
    const now = this.#clock.now().getTime();
    if (kept && now - kept.readAt < this.#keepMs) return kept;
    try {
      return { items: await read(), readAt: now };
    } catch (error) {
      if (!(error instanceof ServiceError)) throw error;
      // Another implementation may have none.
      if (error instanceof AnsweredError && error.missing) return { items: [], readAt: now };
      return kept ?? { items: [], readAt: Number.NEGATIVE_INFINITY };
    }
  }
}
