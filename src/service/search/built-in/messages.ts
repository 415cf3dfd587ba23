import type { Purpose } from '../providers/provider.ts';

/** What the thread of the model is asked. */
export interface Question {
  id: number;
  purpose: Purpose;
  text: string;
}

export type Answer =
  | { kind: 'ready' }
  | { kind: 'vector'; id: number; vector: number[] }
  | { kind: 'failed'; id: number; why: string };
