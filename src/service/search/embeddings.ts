import { Agent } from 'undici';

import { type SearchProvider, searchProvider } from '../../contract/index.ts';
import { Cache } from '../../platform/cache.ts';
import { inTime } from '../../platform/in-time.ts';
import type { Log } from '../../platform/log.ts';
import type { ServiceDb } from '../handler.ts';
import { ServiceProblem, unprocessable } from '../problem.ts';
import { LOOKED_AT, withinScope } from './by-meaning.ts';
import type { Subject } from './built-in/concepts.ts';
import { createBuiltInModel } from './built-in/model.ts';
import { calibrated } from './cut-off.ts';
import type { Meaning } from './find.ts';
import { createProvider } from './providers/protocols.ts';
import { type EmbeddingProvider, type ProviderAccess, ProviderError } from './providers/provider.ts';
import type { Scope } from './scope.ts';
import { type Asked, askedBy, type Described, InMemoryVectorIndex } from './vectors/nearest.ts';
import { nearestByIndex, prepareVectorIndex, sampleByIndex, type VectorIndex } from './vectors/pgvector.ts';

/** The providers of vectors, and the language of the built-in index. */
export interface SearchOptions {
  /** Whether the bundled model makes vectors if no other provider does. */
  builtIn?: boolean;
  openai?: ProviderAccess;
  google?: ProviderAccess;
  voyage?: ProviderAccess;
  /** A Postgres text search configuration; default english. */
  language?: string;
  /** Milliseconds that a search which names no provider waits for vectors; then it goes by words alone. */
  patienceMs?: number;
  /** Milliseconds from one vector of a ticket to its next; default five minutes. */
  renewMs?: number;
}

/** The provider's key; the operator also has to name the provider (`SEARCH_PROVIDERS`). */
const VARIABLE: Record<SearchProvider, string> = {
  openai: 'OPENAI_API_KEY',
  google: 'GOOGLE_API_KEY',
  voyage: 'VOYAGE_API_KEY',
};

/** Searches whose vectors are cached, because searches are often repeated. */
const REMEMBERED = 500;

/** Nearest tickets that are ranked together with word matches. */
const NEAR = 60;
/** Delay after the start before the model is loaded, so that the start does not wait for it. */
const LOADED_AFTER_MS = 1_000;
/** A search by words takes some milliseconds; callers give up after five seconds. */
const PATIENCE_MS = 2_000;

/** A search as it is compared with tickets and, by the built-in model, what it is about. */
interface Understood {
  asked: Asked;
  subject: Subject | undefined;
}

/** Search by meaning: with the vectors of the configured provider, or those of the built-in model. */
export interface Embeddings {
  readonly providers: readonly EmbeddingProvider[];
  /**
   * Returns the search by the named provider's vectors, or the active one's; undefined if there is none. 422 if the
   * named one is not active.
   */
  meaningOf(name: SearchProvider | undefined): Meaning | undefined;
  /** Call once, after the migration: uses pgvector if the database has it. */
  prepare(db: ServiceDb, log: Log): Promise<void>;
  stop(): Promise<void>;
}

export function createEmbeddings(options: SearchOptions, now: () => Date): Embeddings {
  const dispatcher = new Agent({ connections: 4 });
  const named = searchProvider.options.flatMap((name) => {
    const access = options[name];
    return access ? [createProvider(name, access, { dispatcher, now })] : [];
  });
  const builtIn = named.length === 0 && options.builtIn ? createBuiltInModel() : undefined;
  const providers = builtIn ? [builtIn] : named;
  const remembered = new Cache<Understood>(REMEMBERED);
  const vectors = new InMemoryVectorIndex();
  let index: VectorIndex | undefined;
  let loading: NodeJS.Timeout | undefined;

  async function understand(provider: EmbeddingProvider, words: string): Promise<Understood> {
    if (builtIn && provider === builtIn) {
      const { vector, subject } = await builtIn.understand(words);
      return { asked: askedBy(builtIn.name, vector), subject };
    }
    const [vector] = await provider.embed([words], 'query');
    return { asked: askedBy(provider.name, vector ?? new Uint8Array(0)), subject: undefined };
  }

  const remember = (provider: EmbeddingProvider, words: string): Promise<Understood> =>
    remembered.get(`${provider.name} ${words}`, () => understand(provider, words));

  /** The index of the database that has a provider's vectors; undefined if they are compared in memory. */
  const indexOf = ({ name }: EmbeddingProvider) => (index?.providers.has(name) ? index : undefined);

  async function nearestOf(
    db: ServiceDb,
    provider: EmbeddingProvider,
    asked: Asked,
    scope: Scope,
    others: readonly string[],
  ): Promise<Described[]> {
    const { name } = provider;
    const indexed = indexOf(provider);
    if (indexed && asked.kind === 'vector') {
      const near = await nearestByIndex(db, indexed, name, asked.vector, scope, NEAR, others);
      return near.map((each) => ({ ...each, concepts: new Map() }));
    }
    const { workspaceIds } = scope;
    const nearest = await vectors.nearest(db, name, workspaceIds, asked, LOOKED_AT);
    const within = await withinScope(db, nearest, scope, NEAR);
    const ids = new Set([...within.map(({ ticketId }) => ticketId), ...others]);
    return vectors.describe(db, name, workspaceIds, asked, [...ids]);
  }

  /** The similarities of a search to tickets of all kinds. */
  function usualOf(
    db: ServiceDb,
    provider: EmbeddingProvider,
    asked: Asked,
    scope: Scope,
  ): Promise<number[]> {
    const indexed = indexOf(provider);
    return indexed && asked.kind === 'vector'
      ? sampleByIndex(db, indexed, provider.name, asked.vector, scope)
      : vectors.sample(db, provider.name, scope.workspaceIds, asked);
  }

  /** Reads the vectors that are compared in memory: at the first search after a start all of them. */
  async function readVectors(
    db: ServiceDb,
    provider: EmbeddingProvider,
    workspaceIds: readonly string[],
  ): Promise<void> {
    if (indexOf(provider)) return;
    for (const workspaceId of workspaceIds) await vectors.update(db, provider.name, workspaceId);
  }

  function meaningBy(provider: EmbeddingProvider, mayFail: boolean): Meaning {
    return async (db, words, scope) => {
      // The built-in model is loaded now if it was not yet.
      const prepared = Promise.all([
        remember(provider, words),
        readVectors(db, provider, scope.workspaceIds),
      ]);
      const inPatience = mayFail ? inTime(options.patienceMs ?? PATIENCE_MS, prepared) : prepared;
      const understood = await inPatience.catch((error: unknown) => {
        if (!(error instanceof ProviderError)) throw error;
        if (mayFail) return undefined;
        throw new ServiceProblem(
          'SERVICE_UNAVAILABLE',
          `The provider "${provider.name}" makes no vectors at the moment. Search without a provider, or later.`,
        );
      });
      if (!understood) return undefined;
      const [{ asked, subject }] = understood;
      return {
        subject,
        near: async (others) => {
          const near = await nearestOf(db, provider, asked, scope, others);
          return subject ? near : calibrated(near, await usualOf(db, provider, asked, scope));
        },
      };
    };
  }

  return {
    providers,
    meaningOf(name) {
      const [first] = providers;
      if (name === undefined) return first && meaningBy(first, true);
      const provider = providers.find((each) => each.name === name);
      if (!provider)
        throw unprocessable(
          'provider',
          `The provider "${name}" is not in use here: texts are sent to it only where SEARCH_PROVIDERS names it and ${VARIABLE[name]} is set.`,
        );
      return meaningBy(provider, false);
    },
    async prepare(db, log) {
      index = await prepareVectorIndex(
        db,
        named.map(({ name }) => name),
        log,
      );
      if (builtIn) loading = setTimeout(() => builtIn.start(), LOADED_AFTER_MS).unref();
    },
    async stop() {
      clearTimeout(loading);
      await Promise.all([dispatcher.destroy(), builtIn?.stop()]);
    },
  };
}
