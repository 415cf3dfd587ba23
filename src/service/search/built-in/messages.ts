import type { Purpose } from '../providers/provider.ts';

/** A request to the model's thread. */
export interface Question {
  id: number;
  purpose: Purpose;
  text: string;
}

export type Answer =
  | { kind: 'ready' }
  | { kind: 'vector'; id: number; vector: number[] }
  | { kind: 'failed'; id: number; why: string };
