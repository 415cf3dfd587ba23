import { systemClock } from '../../src/platform/clock.ts';
import { createIds } from '../../src/platform/ids.ts';
import { createLog } from '../../src/platform/log.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { openService } from '../../src/service/index.ts';
import type { SearchOptions } from '../../src/service/search/embeddings.ts';

/** Opens the service on a database, without its HTTP server, log or configuration. */
export function openBareService(databaseUrl: string, search: SearchOptions) {
  return openService({
    databaseUrl,
    log: createLog({ level: 'silent', pretty: false }),
    clock: systemClock,
    newId: createIds(systemClock),
    random: systemRandom,
    rateLimitPerMinute: 1,
    allowPrivateWebhooks: false,
    encryptionKeys: [Buffer.alloc(32, 'bench')],
    retention: { days: 1 },
    publicUrl: 'http://127.0.0.1',
    version: 'bench',
    metrics: createMetrics(),
    search,
  });
}
