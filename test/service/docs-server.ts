import { onTestFinished } from 'vitest';

import { createHttpServer } from '../../src/platform/http/index.ts';
import { createLog } from '../../src/platform/log.ts';
import { createMetrics } from '../../src/platform/metrics.ts';
import { docsPlugin } from '../../src/service/index.ts';

/** Serves only the API reference until the test ends, and returns its URL. */
export async function serveDocs(): Promise<string> {
  const http = createHttpServer({
    log: createLog({ level: 'silent', pretty: false }),
    newId: (prefix) => `${prefix}_1`,
    metrics: createMetrics(),
    host: '127.0.0.1',
    port: 0,
  });
  await http.app.register(docsPlugin('1.2.3'));
  const { port } = await http.listen();
  onTestFinished(() => http.stop());
  return `http://127.0.0.1:${port}`;
}
