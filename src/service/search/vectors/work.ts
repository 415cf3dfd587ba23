import { z } from 'zod';

import { type NewWork, RetryLater, workFor, workKind } from '../../../platform/engine/index.ts';
import { inBackground } from '../../../platform/in-background.ts';
import type { Running } from '../../../platform/lifecycle.ts';
import type { Log } from '../../../platform/log.ts';
import { startRepeating } from '../../../platform/repeating.ts';
import type { ServiceDb } from '../../handler.ts';
import { CLASSES, type Done, type ServiceEngine } from '../../work.ts';
import { type EmbeddingProvider, ProviderError, type ProviderName } from '../providers/provider.ts';
import { LOOK_MS, Pace } from './pace.ts';
import { settleDue, storeVectors } from './store.ts';
import { type DueText, dueTexts, isWorkUnderWay, isTextDue } from './texts.ts';

/** Vectors of some texts, by one provider. Its end plans the next while more may be due; then a look finds what comes. */
const EMBEDDING = workKind('embedding', CLASSES.embedding, z.object({ provider: z.string() }));

/**
 * A conversation changes with each message, and is found by its words at once. Its vector follows less often: the built-in
 * model takes some 75 ms of a processor for each, and others are paid for. What a ticket is about rarely changes within
 * minutes.
 */
const RENEW_MS = 5 * 60_000;
/** Pause before a provider that rejects our key is retried. */
const UNAUTHORIZED_PAUSE_MS = 300_000;

/** @param delayMs milliseconds until it is due, unless it is sooner already. */
function nextWork(provider: ProviderName, delayMs: number): NewWork {
  return workFor(EMBEDDING, provider, { provider }, { mergeKey: `embedding:${provider}`, delayMs });
}

export interface EmbeddingWork {
  engine: ServiceEngine;
  db: ServiceDb;
  providers: readonly EmbeddingProvider[];
  /** Milliseconds from one vector of a ticket to its next. */
  renewMs?: number | undefined;
  log: Log;
}

/** Registers the handler that makes vectors of tickets' texts, and looks for texts until it is stopped. */
export function workEmbeddings({ engine, db, providers, renewMs = RENEW_MS, log }: EmbeddingWork): Running {
  const followed = new Map<string, { provider: EmbeddingProvider; pace: Pace }>(
    providers.map((provider) => [provider.name, { provider, pace: new Pace() }]),
  );
  engine.handle(EMBEDDING, {
    async work({ body, signal }) {
      const own = followed.get(body.provider);
      // Another process may have a key that this one lacks.
      if (!own)
        throw new RetryLater('the provider is not configured here', {
          afterMs: LOOK_MS,
          countsAttempt: false,
        });
      return followTexts(db, own.provider, { signal, renewMs, log, pace: own.pace });
    },
  });
  return startRepeating({
    work: async () => {
      for (const { provider, pace } of followed.values()) await look(engine, db, { provider, pace, renewMs });
      return false;
    },
    everyMs: LOOK_MS,
    log,
    failed: 'could not look for texts without a vector',
  });
}

/** Plans the work of a provider if a text is due. It only reads while nothing is, which is most of the time. */
async function look(
  engine: ServiceEngine,
  db: ServiceDb,
  { provider, pace, renewMs }: { provider: EmbeddingProvider; pace: Pace; renewMs: number },
): Promise<void> {
  const next = nextWork(provider.name, 0);
  if (await isWorkUnderWay(db, next.lane)) return;
  if (await isTextDue(db, provider, renewMs)) await engine.transaction(async (tx) => tx.plan.add(next));
  else pace.rested(LOOK_MS);
}

async function followTexts(
  db: ServiceDb,
  provider: EmbeddingProvider,
  { signal, renewMs, log, pace }: { signal: AbortSignal; renewMs: number; log: Log; pace: Pace },
): Promise<Done> {
  const due = await dueTexts(db, provider, renewMs);
  const wanted = due.filter(({ made, text }) => !made && text.trim() !== '');
  const making = () => embedAll(provider, wanted, signal, log);
  const { result: vectors, restMs } = await (provider.isLocal ? inBackground(making) : atOnce(making)).catch(
    (error: unknown) => {
      if (!(error instanceof ProviderError)) throw error;
      const afterMs = error.kind === 'unauthorized' ? UNAUTHORIZED_PAUSE_MS : error.afterMs;
      throw new RetryLater(error.message, {
        cause: error,
        ...(afterMs !== undefined && { afterMs, countsAttempt: false }),
      });
    },
  );
  const pauseMs = pace.pauseAfter({ restMs, isNew: wanted.some(({ isNew }) => isNew) });
  return {
    outcome: `${due.length} tickets`,
    write: async (tx) => {
      await storeVectors(tx, provider.name, vectors);
      await settleDue(tx, provider.name, due);
      if (due.length === provider.batch) tx.plan.add(nextWork(provider.name, pauseMs));
    },
    afterwards: async () => {
      if (due.length > 0)
        log.debug({ provider: provider.name, tickets: due.length, asked: wanted.length }, 'vectors made');
    },
  };
}

async function atOnce<Result>(work: () => Promise<Result>): Promise<{ result: Result; restMs: number }> {
  return { result: await work(), restMs: 0 };
}

/** Returns a vector for each text; one that the provider rejects is skipped, without holding up the others. */
async function embedAll(
  provider: EmbeddingProvider,
  wanted: readonly DueText[],
  signal: AbortSignal,
  log: Log,
): Promise<{ due: DueText; vector: Uint8Array }[]> {
  if (wanted.length === 0) return [];
  try {
    const texts = wanted.map(({ text }) => text);
    const vectors = await provider.embed(texts, 'document', signal);
    return wanted.flatMap((due, place) => {
      const vector = vectors[place];
      return vector ? [{ due, vector }] : [];
    });
  } catch (error) {
    if (!(error instanceof ProviderError) || error.kind !== 'invalid_input') throw error;
    if (wanted.length === 1) {
      log.warn(
        { err: error, provider: provider.name, ticketId: wanted[0]?.ticket_id },
        'no vector for this ticket',
      );
      return [];
    }
    const half = Math.ceil(wanted.length / 2);
    return [
      ...(await embedAll(provider, wanted.slice(0, half), signal, log)),
      ...(await embedAll(provider, wanted.slice(half), signal, log)),
    ];
  }
}

/** Marks every ticket as due for providers and models that are new, and plans the work of all providers. */
export async function startEmbeddings(
  engine: ServiceEngine,
  providers: readonly EmbeddingProvider[],
): Promise<void> {
  if (providers.length === 0) return;
  await engine.transaction(async (tx) => {
    const setting = await tx
      .selectFrom('search_setting')
      .select(['providers', 'models'])
      .forUpdate()
      .executeTakeFirstOrThrow();
    const fresh = providers.filter(({ name, model }) => setting.models[name] !== model);
    if (fresh.length > 0) {
      const models = {
        ...setting.models,
        ...Object.fromEntries(fresh.map(({ name, model }) => [name, model])),
      };
      await tx
        .updateTable('search_setting')
        .set({ providers: Object.keys(models), models: JSON.stringify(models) })
        .execute();
      for (const { name } of fresh)
        await tx
          .insertInto('embedding_due')
          .columns(['provider', 'workspace_id', 'ticket_id'])
          .expression((select) =>
            select
              .selectFrom('ticket')
              .select((ticket) => [ticket.val(name).as('provider'), 'workspace_id', 'id']),
          )
          .onConflict((known) => known.doNothing())
          .execute();
    }
    tx.plan.add(...providers.map(({ name }) => nextWork(name, 0)));
  });
}
