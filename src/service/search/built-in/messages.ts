import type { Purpose } from '../providers/provider.ts';
import type { Subject } from './concepts.ts';

/** A request to the model's thread. */
export interface Question {
  id: number;
  purpose: Purpose;
  text: string;
}

/** A vector as it is stored and, of a search, what it is about. */
export interface Made {
  vector: Uint8Array;
  subject: Subject | undefined;
}

export type Answer = ({ kind: 'made'; id: number } & Made) | { kind: 'failed'; id: number; why: string };
