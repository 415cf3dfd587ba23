import { type Client, ServiceError } from '../../client/index.ts';
import { Cache } from '../../platform/cache.ts';
import type { Clock } from '../../platform/clock.ts';

const HOUR_MS = 3_600_000;
const MEASURED_MS = 30 * 24 * HOUR_MS;
/** With fewer replies there is no estimate. */
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

  /** Returns the usual time in seconds from a ticket's opening; undefined without a target or enough replies. */
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
