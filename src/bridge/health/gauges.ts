import type { Db } from '../../platform/database/open.ts';
import { registerEngineGauges } from '../../platform/engine/index.ts';
import type { Log } from '../../platform/log.ts';
import { type Metrics, registerGauges } from '../../platform/metrics.ts';
import { driftOf } from '../reconcile/findings.ts';
import type { BridgeTables } from '../schema/tables.ts';
import type { BridgeEngine } from '../work.ts';
import { RANK, readStates, type State } from './finding.ts';

/** Gauges read at each scrape: the work, the outbox, drift and the last health check. */
export function registerBridgeGauges(
  metrics: Metrics,
  engine: BridgeEngine,
  { db, connected, log }: { db: Db<BridgeTables>; connected: () => boolean; log: Log },
): void {
  registerEngineGauges(metrics, 'bridge', engine, log);
  registerGauges(
    metrics,
    async () => ({
      outbox: await db
        .selectFrom('outbox')
        .select((select) => ['state', select.fn.countAll<number>().as('count')])
        .where('state', 'in', ['planned', 'sending'])
        .groupBy('state')
        .execute(),
      drift: await driftOf(db),
      states: await readStates(db),
    }),
    [
      {
        name: 'bridge_outbox_waiting',
        help: 'Planned writes to chat that are not made yet; sending: begun, and the answer is not recorded.',
        labelNames: ['state'],
        figures: ({ outbox }) =>
          ['planned', 'sending'].map((state) => ({
            labels: { state },
            value: outbox.find((row) => row.state === state)?.count ?? 0,
          })),
      },
      {
        name: 'bridge_drift',
        help: 'Differences between chat and service without an event, found in this round and the previous one.',
        figures: ({ drift }) => [{ value: drift }],
      },
      {
        name: 'bridge_check',
        help: 'The last look at each check of `deskbridge doctor`: 0 is well, 1 a warning, 2 bad.',
        labelNames: ['check'],
        figures: ({ states }) =>
          Object.entries(states?.checks ?? {}).map(([check, { state }]) => ({
            labels: { check },
            value: RANK[state satisfies State],
          })),
      },
    ],
    log,
  );
  registerGauges(
    metrics,
    async () => connected(),
    [
      {
        name: 'bridge_chat_connected',
        help: '1 while chat can reach this process, by a connection or by HTTP.',
        figures: (is) => [{ value: is ? 1 : 0 }],
      },
    ],
    log,
  );
}
