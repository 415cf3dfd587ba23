import type { SearchProvider } from '../../../contract/index.ts';

/** Dimensions asked of every provider: 256 hold nearly all of the quality, and a tenth of the bytes. */
export const DIMENSIONS = 256;

export type Purpose = 'document' | 'query';

/** Who makes vectors: somebody who is paid for it, or the model that comes with deskbridge. */
export type ProviderName = SearchProvider | 'built-in';

/** Who makes vectors of texts. */
export interface EmbeddingProvider {
  readonly name: ProviderName;
  /** Part of what a vector is known by: those of two models do not compare. */
  readonly model: string;
  /** Texts of one request at most. */
  readonly batch: number;
  /** A vector per text, in their order. Throws ProviderError. */
  embed(texts: readonly string[], purpose: Purpose, signal?: AbortSignal): Promise<number[][]>;
}

/** Where and as whom a provider is called. */
export interface ProviderAccess {
  apiKey: string;
  /** The provider's own when absent. */
  baseUrl?: string;
  model?: string;
}

/** `refused`: these texts will never be taken; `denied`: no text is, until a person changes something; `away`: later. */
export type ProviderFailure = 'refused' | 'denied' | 'away';

/** A provider made no vectors. Its message holds no text, no key and no address. */
export class ProviderError extends Error {
  override readonly name = 'ProviderError';
  readonly kind: ProviderFailure;
  /** Milliseconds after which the provider wants to be asked again. */
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
