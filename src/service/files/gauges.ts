import { sql } from 'kysely';

import type { Log } from '../../platform/log.ts';
import { type Metrics, registerGauges } from '../../platform/metrics.ts';
import type { ServiceDb } from '../handler.ts';

/** Registers gauges of the stored files. */
export function registerFileGauges(metrics: Metrics, db: ServiceDb, log: Log): void {
  const read = async () => {
    const { rows } = await sql<{ files: number; bytes: number }>`
      select (select count(*) from file) as files,
        (select coalesce(sum(size), 0)::bigint from file_content) as bytes`.execute(db);
    return rows[0] ?? { files: NaN, bytes: NaN };
  };
  registerGauges(
    metrics,
    read,
    [
      {
        name: 'service_files',
        help: 'Files on tickets and messages.',
        figures: ({ files }) => [{ value: files }],
      },
      {
        name: 'service_file_bytes',
        help: 'Bytes of files; the same bytes count once.',
        figures: ({ bytes }) => [{ value: bytes }],
      },
    ],
    log,
  );
}
