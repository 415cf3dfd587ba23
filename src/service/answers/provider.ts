import type { Personality } from '../../contract/index.ts';

/** Something that is known: a passage of a document, or what solved a ticket. */
export interface Passage {
  kind: 'document' | 'ticket';
  /** Of the document; of a ticket its reference and title. */
  title: string;
  url: string | null;
  /** Markdown. */
  text: string;
  /** How much of the question it is about, and from where it is (likeness.ts). */
  points: number;
  isLikely: boolean;
}

/** A public word of the conversation, oldest first. */
export interface Line {
  by: 'requester' | 'agent';
  text: string;
}

/** What a provider is asked. */
export interface Asked {
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
  /** The agent has not answered on this ticket yet. */
  isFirst: boolean;
  /** A 👎 brings a person. */
  handsOver: boolean;
}

/** An answer, in Markdown that acts on nothing (harmless.ts), and what it rests on. */
export interface Given {
  text: string;
  sources: readonly Passage[];
}

/**
 * Who finds answers. Undefined: it knows none, which is an answer too. Throws ProviderError (`away` is tried again,
 * everything else is for a person).
 */
export interface AnswerProvider {
  readonly name: string;
  answer(asked: Asked, signal: AbortSignal): Promise<Given | undefined>;
}
