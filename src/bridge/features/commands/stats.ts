import { AnsweredError } from '../../../client/index.ts';
import type { Bridge } from '../../bridge.ts';
import { durationOf } from '../../blocks/duration.ts';
import { escapeChat } from '../../text/to-chat.ts';
import { refuse, type Work } from './asked.ts';
import { queueHere } from './queue-here.ts';

const WEEK_MS = 7 * 86_400_000;

type MetricBody = Parameters<Bridge['service']['previewMetric']>[0]['body'];
type Aggregation = NonNullable<MetricBody['query']['aggregations']>[number];
type Dated = NonNullable<MetricBody['query']['dateField']>;

/** `/ticket stats`: five figures of this channel's queue; they reveal no ticket. */
export const stats: Work = {
  changes: false,
  async run(bridge, { channel }) {
    const home = await queueHere(bridge, channel);
    const queue = home && (await bridge.channels.queue(home.queueId));
    if (!queue) return refuse('This channel has no queue. Type this in a channel that is linked to one.');
    const { service } = bridge;
    const count = async (query: { unassignedFilter?: boolean }) =>
      (
        await service.listTickets({
          query: {
            workspaceId: queue.workspaceId,
            queueId: queue.id,
            openFilter: true,
            snoozedFilter: false,
            limit: 1,
            ...query,
          },
        })
      ).totalCount;
    const [open, unassigned] = [await count({}), await count({ unassignedFilter: true })];
    const lines = [`*${open}* open, *${unassigned}* of them unassigned`];
    try {
      const week = await lastWeek(bridge, queue);
      lines.push(
        `*${week.opened}* opened and *${week.resolved}* done in the last 7 days`,
        ...(week.answered === undefined
          ? []
          : [`half were first answered within *${durationOf(week.answered)}*`]),
        ...(week.took === undefined ? [] : [`half of those done took at most *${durationOf(week.took)}*`]),
      );
    } catch (error) {
      if (!(error instanceof AnsweredError && error.missing)) throw error;
      lines.push('The help desk’s service has no figures of time.');
    }
    return { text: [`*${escapeChat(queue.name)}*`, ...lines.map((line) => `• ${line}`)].join('\n') };
  },
};

async function lastWeek(
  { service, clock }: Bridge,
  { id, workspaceId }: { id: string; workspaceId: string },
): Promise<{ opened: number; resolved: number; answered: number | undefined; took: number | undefined }> {
  const now = clock.now();
  const dateRange = { from: new Date(now.getTime() - WEEK_MS).toISOString(), to: now.toISOString() };
  const figure = async (aggregation: Aggregation, dateField: Dated) => {
    const { data } = await service.previewMetric({
      body: {
        workspaceId,
        dateRange,
        query: {
          dataSource: 'Ticket',
          dateField,
          aggregations: [aggregation],
          filterGroups: [[{ field: 'queueId', condition: 'equals', value: id }]],
        },
      },
    });
    return data[0]?.value;
  };
  const opened = (await figure({ type: 'count' }, 'createdAt')) ?? 0;
  const resolved = (await figure({ type: 'count' }, 'resolvedAt')) ?? 0;
  const answers = (await figure({ type: 'count' }, 'respondedAt')) ?? 0;
  return {
    opened,
    resolved,
    answered:
      answers > 0 ? await figure({ type: 'median', field: 'responseTime' }, 'respondedAt') : undefined,
    took:
      resolved > 0 ? await figure({ type: 'median', field: 'timeToResolution' }, 'resolvedAt') : undefined,
  };
}
