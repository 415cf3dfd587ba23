import { systemClock } from '../../src/platform/clock.ts';
import { createHttpServer } from '../../src/platform/http/index.ts';
import { createIds } from '../../src/platform/ids.ts';
import { createLog } from '../../src/platform/log.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { systemRandom } from '../../src/platform/random.ts';
import { startService } from '../../src/service/index.ts';

// The service in its own process, to be killed. Arguments: database URL, token, port (0: any), base URL of
// the answering model (empty: none). Prints its base URL.
const [databaseUrl = '', token = '', wantedPort = '0', baseUrl = ''] = process.argv.slice(2);
const log = createLog({ level: 'silent', pretty: false });
const metrics = createMetrics();
const newId = createIds(systemClock);
const http = createHttpServer({ log, newId, metrics, host: '127.0.0.1', port: Number(wantedPort) });
const service = await startService({
  databaseUrl,
  log,
  clock: systemClock,
  newId,
  random: systemRandom,
  rateLimitPerMinute: 1_000_000,
  allowPrivateWebhooks: true,
  encryptionKeys: [Buffer.alloc(32, 'test')],
  retention: { days: 90 },
  publicUrl: 'http://127.0.0.1',
  version: '0.0.0-test',
  metrics,
  ...(baseUrl && { answers: { model: { model: 'm-1', apiKey: 'key-1', baseUrl } } }),
});
await service.ensureWorkspace();
await service.installKey({ token, name: 'crash', role: 'admin', rateLimit: null });
await http.app.register(service.plugin, { prefix: '/api' });
await http.app.register(service.mcpPlugin, { prefix: '/mcp' });
const { port } = await http.listen();
process.stdout.write(`http://127.0.0.1:${port}/api\n`);
