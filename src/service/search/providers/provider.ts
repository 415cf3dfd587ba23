import type { SearchProvider } from '../../../contract/index.ts';

/** Dimensions requested from every provider: 256 keep nearly all of the quality, at a tenth of the size. */
export const DIMENSIONS = 256;

export type Purpose = 'document' | 'query';

/** The provider of vectors: a paid service, or the bundled model. */
export type ProviderName = SearchProvider | 'built-in';

/** Makes vectors of texts. */
export interface EmbeddingProvider {
  readonly name: ProviderName;
  /** Part of a vector's identity: vectors of two models cannot be compared. */
  readonly model: string;
  /** Maximum number of texts per request. */
  readonly batch: number;
  /** It runs on this machine's CPU. */
  readonly isLocal: boolean;
  /** Returns an encoded vector per text, in their order. Throws ProviderError. */
  embed(texts: readonly string[], purpose: Purpose, signal?: AbortSignal): Promise<Uint8Array[]>;
}

/** URL and credentials of a provider. */
export interface ProviderAccess {
  apiKey: string;
  /** Default the provider's own. */
  baseUrl?: string;
  model?: string;
}

/**
 * `invalid_input`: these texts will never be accepted; `unauthorized`: no text is accepted until an administrator acts;
 * `unavailable`: retry later.
 */
export type ProviderFailure = 'invalid_input' | 'unauthorized' | 'unavailable';

/** A provider made no vectors. Its message contains no text, key or URL. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly kind: ProviderFailure;
  /** Milliseconds after which the provider asks to be retried. */
  readonly afterMs: number | undefined;

  constructor(
    kind: ProviderFailure,
    message: string,
    options: { afterMs?: number | undefined; cause?: unknown } = {},
  ) {
    super(message, { cause: options.cause });
    this.kind = kind;
    this.afterMs = options.afterMs;
  }
}
