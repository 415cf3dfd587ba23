import type { Agent, QueueSettings } from '../../contract/index.ts';
import { isSmallTalk } from './small-talk.ts';

/** The queue's settings for AI agents. */
export type QueueAgentSettings = Pick<QueueSettings, 'aiEnabled' | 'respondOnMessage' | 'respondOnMention'>;

/** The AI agent's settings. */
export type AgentSettings = Pick<
  Agent,
  'id' | 'enabled' | 'respondOnMessage' | 'respondOnMention' | 'onlyRespondToRequests' | 'availableInDM'
> & {
  /** Whether the ticket's queue, or the channel that it was opened in, is one of the AI agent's. */
  worksHere: boolean;
};

/** A requester's message, and the state of the ticket at the time of the decision. */
export interface MessageFacts {
  /** `opening`: the ticket itself; `message`: a later message. */
  kind: 'opening' | 'message';
  text: string;
  /** The text mentions the AI agents or the help desk's bot with an `@`. */
  mentioned: boolean;
  /** The requester wrote it publicly and has not deleted it. */
  isPublic: boolean;
  /** The requester wrote again before this was answered; the later message is answered instead. */
  superseded: boolean;
  ticket: {
    disableAIResponse: boolean;
    /** The ticket was archived, unpublished, done or closed before the message. */
    ended: boolean;
    /** From a direct message to the bot. */
    direct: boolean;
    assignedAgentId: string | null;
    /** An assignee was set after the ticket was opened; the initial assignee has not started on it yet. */
    assignedSince: boolean;
    /** A user is writing a reply. */
    claimed: boolean;
    /** A user other than the requester or the AI agents has written publicly. */
    othersReplied: boolean;
  };
}

/** Whether an AI agent answers; `why` names the deciding setting or fact. */
export interface Decision {
  answers: boolean;
  why: string;
}

const noAnswer = (why: string): Decision => ({ answers: false, why });

/** Decides whether an AI agent answers a requester's message (B42; docs/agents.md, When an agent answers). */
export function decideAnswer(queue: QueueAgentSettings, agent: AgentSettings, facts: MessageFacts): Decision {
  const { kind, text, mentioned, ticket } = facts;
  if (!queue.aiEnabled) return noAnswer('aiEnabled is off');
  if (!agent.enabled) return noAnswer('the AI agent is not enabled');
  if (!agent.worksHere) return noAnswer('neither the queue nor the channel is the AI agent’s');
  if (ticket.assignedAgentId !== null && ticket.assignedAgentId !== agent.id)
    return noAnswer('the ticket is another AI agent’s');
  if (ticket.disableAIResponse) return noAnswer('disableAIResponse is on');
  if (!facts.isPublic) return noAnswer('not a public message of the requester');
  if (ticket.ended) return noAnswer('the ticket is not open');
  if (ticket.assignedSince) return noAnswer('an agent was assigned');
  if (ticket.claimed) return noAnswer('an agent is answering');
  if (ticket.othersReplied) return noAnswer('an agent has answered');
  if (ticket.direct && !agent.availableInDM) return noAnswer('availableInDM is off');
  const isCalled = mentioned && queue.respondOnMention && agent.respondOnMention;
  if (!isCalled && !(answersKind(queue.respondOnMessage, kind) && answersKind(agent.respondOnMessage, kind)))
    return noAnswer('respondOnMessage excludes it');
  if (agent.onlyRespondToRequests && isSmallTalk(text)) return noAnswer('it is small talk');
  if (facts.superseded) return noAnswer('a later message is answered instead');
  return { answers: true, why: isCalled ? 'respondOnMention' : 'respondOnMessage' };
}

/** `channel-messages` are answered only if they open a ticket; `all-messages`, the default, always. */
function answersKind(setting: Agent['respondOnMessage'] | null, kind: MessageFacts['kind']): boolean {
  switch (setting) {
    case 'no-messages':
      return false;
    case 'channel-messages':
      return kind === 'opening';
    case 'all-messages':
    case null:
      return true;
  }
}
