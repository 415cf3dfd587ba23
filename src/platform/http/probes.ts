import type { FastifyInstance } from 'fastify';

import type { Log } from '../log.ts';
import { type Metrics, printAll } from '../metrics.ts';

/**
 * Rejects while its subject is not ready. Resolves to a word if it is ready although another system is unavailable
 * (restarting would not help): that is reported with status 200.
 */
export type ReadinessCheck = () => Promise<string | undefined> | Promise<void>;

/** Says why a program is not ready, in words that may be shown to everybody; nothing is logged of it. */
export class NotReady extends Error {
  override readonly name = 'NotReady';
}

/** A check that takes longer has failed: a probe must answer even if the database does not. */
const CHECK_TIMEOUT_MS = 3_000;

/**
 * `/healthz` (the process runs), `/readyz` (all checks pass, else 503 and which do not), `/metrics` (Prometheus text).
 */
export function registerProbes(
  app: FastifyInstance,
  {
    checks,
    metrics,
    more,
    log,
  }: { checks: Map<string, ReadinessCheck>; metrics: Metrics; more: ReadonlySet<Metrics>; log: Log },
): void {
  app.get('/healthz', () => ({ status: 'ok' }));

  app.get('/readyz', async (_request, reply) => {
    const results = await Promise.all(
      [...checks].map(async ([name, check]) => [name, await resultOf(check, name, log)] as const),
    );
    const ready = results.every(([, { passes: isWell }]) => isWell);
    return reply.code(ready ? 200 : 503).send({
      status: ready ? 'ready' : 'not ready',
      checks: Object.fromEntries(results.map(([name, { says }]) => [name, says])),
    });
  });

  // Everybody who asks meanwhile gets the same text: printing hundreds of kilobytes at once for each would hold up all
  // other requests.
  let printing: Promise<string> | undefined;
  app.get('/metrics', async (_request, reply) => {
    printing ??= printAll(metrics, more).finally(() => (printing = undefined));
    return reply.type(metrics.contentType).send(await printing);
  });
}

/** Returns whether a check passes, and the word that is shown for it. */
async function resultOf(
  check: ReadinessCheck,
  name: string,
  log: Log,
): Promise<{ passes: boolean; says: string }> {
  const { promise: late, reject } = Promise.withResolvers<never>();
  const timer = setTimeout(() => reject(new Error('no answer in time')), CHECK_TIMEOUT_MS);
  try {
    return { passes: true, says: (await Promise.race([check(), late])) ?? 'ok' };
  } catch (error) {
    if (error instanceof NotReady) return { passes: false, says: error.message };
    log.warn({ err: error, check: name }, 'not ready');
    return { passes: false, says: 'failed' };
  } finally {
    clearTimeout(timer);
  }
}
