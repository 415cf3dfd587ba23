import type { Purpose } from '../providers/provider.ts';
import type { Subject } from './concepts.ts';

/** A request to the model's thread. */
export interface Question {
  id: number;
  purpose: Purpose;
  text: string;
}

/** The concepts of a text, encoded, and of a search also what it is about. */
export interface Made {
  vector: Uint8Array;
  subject: Subject | undefined;
}

export type Answer = ({ kind: 'made'; id: number } & Made) | { kind: 'failed'; id: number; why: string };
