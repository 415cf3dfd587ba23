import type { Personality } from '../../contract/index.ts';

/** A piece of knowledge: a passage of a document, or a ticket's solution. */
export interface Passage {
  kind: 'document' | 'ticket';
  /** The document's title; for a ticket, its reference and title. */
  title: string;
  url: string | null;
  /** Markdown. */
  text: string;
  /** How much of the question it covers (similarity.ts). */
  points: number;
  isLikely: boolean;
}

/** A public message of the conversation; oldest first. */
export interface Line {
  by: 'requester' | 'agent';
  text: string;
}

/** The context of a prompt. */
export interface PromptContext {
  agent: {
    name: string;
    description: string | null;
    personality: Omit<Personality, 'id' | 'workspaceId' | 'createdAt' | 'updatedAt'> | null;
  };
  workspace: string;
  ticket: { title: string | null; description: string | null };
  conversation: readonly Line[];
  /** Best first. */
  passages: readonly Passage[];
  /** The AI agent has not answered on this ticket yet. */
  isFirst: boolean;
  /** A 👎 hands the ticket over to the team. */
  handsOver: boolean;
}

/** An answer in sanitized Markdown (sanitize-markdown.ts), and its sources. */
export interface GeneratedAnswer {
  text: string;
  sources: readonly Passage[];
}

/**
 * Finds answers; undefined if there is none. Throws ProviderError (`unavailable` is retried; other errors need an
 * administrator).
 */
export interface AnswerProvider {
  readonly name: string;
  answer(context: PromptContext, signal: AbortSignal): Promise<GeneratedAnswer | undefined>;
}
