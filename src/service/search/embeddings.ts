import { Agent } from 'undici';

import { type SearchProvider, searchProvider } from '../../contract/index.ts';
import type { Log } from '../../platform/log.ts';
import type { ServiceDb } from '../handler.ts';
import { ServiceProblem, unprocessable } from '../problem.ts';
import { LOOKED_AT, withinScope } from './by-meaning.ts';
import { createProvider } from './providers/protocols.ts';
import { type EmbeddingProvider, type ProviderAccess, ProviderError } from './providers/provider.ts';
import { fromBytes, toBytes } from './vectors/bytes.ts';
import type { Scope } from './scope.ts';
import { VectorShelves } from './vectors/nearest.ts';
import { nearestByIndex, prepareVectorIndex, type VectorIndex } from './vectors/pgvector.ts';

/** Who makes vectors here, and the language of the built-in index. */
export interface SearchOptions {
  openai?: ProviderAccess;
  google?: ProviderAccess;
  voyage?: ProviderAccess;
  /** A text search configuration of Postgres; default english. */
  language?: string;
}

/** The key that a provider wants; the operator names the provider as well (`SEARCH_PROVIDERS`). */
const VARIABLE: Record<SearchProvider, string> = {
  openai: 'OPENAI_API_KEY',
  google: 'GOOGLE_API_KEY',
  voyage: 'VOYAGE_API_KEY',
};

/** Searches whose vectors are remembered: people repeat themselves, and so do bots. */
const REMEMBERED = 500;

/** Search by meaning, with vectors that others make. */
export interface Embeddings {
  readonly providers: readonly EmbeddingProvider[];
  /** To be called once, when the tables are there: takes pgvector into use where the database has it. */
  prepare(db: ServiceDb, log: Log): Promise<void>;
  /**
   * The ids of the tickets within the scope whose texts are nearest to the words, nearest first; those whose vector is
   * not made yet are not found. 422 where the provider is not in use, 503 where it is away.
   */
  find(db: ServiceDb, name: SearchProvider, words: string, scope: Scope, limit: number): Promise<string[]>;
  stop(): Promise<void>;
}

export function createEmbeddings(options: SearchOptions, now: () => Date): Embeddings {
  const dispatcher = new Agent({ connections: 4 });
  const providers = searchProvider.options.flatMap((name) => {
    const access = options[name];
    return access ? [createProvider(name, access, { dispatcher, now })] : [];
  });
  const remembered = new Map<string, Promise<Int8Array>>();
  const shelves = new VectorShelves();

  function vectorOf(provider: EmbeddingProvider, words: string): Promise<Int8Array> {
    const key = `${provider.name} ${words}`;
    const known =
      remembered.get(key) ??
      provider.embed([words], 'query').then(([vector]) => fromBytes(toBytes(vector ?? [])));
    // Deleted and set again, it is the newest of the map, whose oldest goes when there are too many.
    remembered.delete(key);
    remembered.set(key, known);
    known.catch(() => remembered.delete(key));
    const [oldest] = remembered.keys();
    if (remembered.size > REMEMBERED && oldest !== undefined) remembered.delete(oldest);
    return known;
  }

  let index: VectorIndex | undefined;

  return {
    providers,
    async prepare(db, log) {
      index = await prepareVectorIndex(
        db,
        providers.map(({ name }) => name),
        log,
      );
    },
    async find(db, name, words, scope, limit) {
      const provider = providers.find((each) => each.name === name);
      if (!provider)
        throw unprocessable(
          'provider',
          `The provider "${name}" is not in use here: texts are sent to it only where SEARCH_PROVIDERS names it and ${VARIABLE[name]} is set.`,
        );
      const asked = await vectorOf(provider, words).catch((error: unknown) => {
        if (!(error instanceof ProviderError)) throw error;
        throw new ServiceProblem(
          'SERVICE_UNAVAILABLE',
          `The provider "${name}" makes no vectors at the moment. Search without a provider, or later.`,
        );
      });
      if (index?.providers.has(name)) return nearestByIndex(db, index, name, asked, scope, limit);
      const near = await shelves.nearest(db, name, scope.workspaceIds, asked, LOOKED_AT);
      return withinScope(db, near, scope, limit);
    },
    stop: () => dispatcher.destroy(),
  };
}
