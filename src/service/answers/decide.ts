import type { Agent, QueueSettings } from '../../contract/index.ts';
import { isSmallTalk } from './small-talk.ts';

/** What the queue of a ticket wants of agents. */
export type QueueWishes = Pick<QueueSettings, 'aiEnabled' | 'respondOnMessage' | 'respondOnMention'>;

/** What an agent is set up for. */
export type AgentWishes = Pick<
  Agent,
  'id' | 'enabled' | 'respondOnMessage' | 'respondOnMention' | 'onlyRespondToRequests' | 'availableInDM'
> & {
  /** Whether the ticket's queue, or the channel that it was opened in, is one of the agent's. */
  worksHere: boolean;
};

/** What a ticket's requester wrote, and how the ticket stands at the moment of deciding. */
export interface Situation {
  /** `opening`: the ticket itself; `message`: one that followed. */
  kind: 'opening' | 'message';
  text: string;
  /** The text names the agents, or the desk's bot, with an `@`. */
  mentioned: boolean;
  /** Its requester wrote it where all read it, and has not taken it back. */
  isPublicWord: boolean;
  /** The requester has asked something later that is answered in its place. */
  superseded: boolean;
  ticket: {
    disableAIResponse: boolean;
    /** Archived, not published, or Done or Closed since before the question. */
    ended: boolean;
    /** From a direct conversation with the bot. */
    direct: boolean;
    assignedAgentId: string | null;
    /** Somebody was assigned after it was opened: whom it was opened with has not taken it over yet. */
    assignedSince: boolean;
    /** Somebody is writing an answer. */
    claimed: boolean;
    /** Somebody else than requester and agents has written publicly. */
    othersSpoke: boolean;
  };
}

/** Whether an agent answers; `why` names the setting or the fact that decided. */
export type Decision = { answers: true; why: string } | { answers: false; why: string };

const no = (why: string): Decision => ({ answers: false, why });

/** Whether an automated agent answers what a requester wrote (B42; docs/agents.md, When an agent answers). */
export function decide(queue: QueueWishes, agent: AgentWishes, situation: Situation): Decision {
  const { kind, text, mentioned, ticket } = situation;
  if (!queue.aiEnabled) return no('aiEnabled is off');
  if (!agent.enabled) return no('the agent is not enabled');
  if (!agent.worksHere) return no('neither the queue nor the channel is the agent’s');
  if (ticket.assignedAgentId !== null && ticket.assignedAgentId !== agent.id)
    return no('the ticket is another agent’s');
  if (ticket.disableAIResponse) return no('disableAIResponse is on');
  if (!situation.isPublicWord) return no('nothing that the requester says to all');
  if (ticket.ended) return no('the ticket is not open');
  if (ticket.assignedSince) return no('a person was assigned');
  if (ticket.claimed) return no('a person is answering');
  if (ticket.othersSpoke) return no('a person has answered');
  if (ticket.direct && !agent.availableInDM) return no('availableInDM is off');
  const called = mentioned && queue.respondOnMention && agent.respondOnMention;
  if (!called && !(wants(queue.respondOnMessage, kind) && wants(agent.respondOnMessage, kind)))
    return no('respondOnMessage excludes it');
  if (agent.onlyRespondToRequests && isSmallTalk(text)) return no('it asks for nothing');
  if (situation.superseded) return no('a later message is answered in its place');
  return { answers: true, why: called ? 'respondOnMention' : 'respondOnMessage' };
}

/** `channel-messages` are those that open a ticket; `all-messages`, and nothing said, also those that follow. */
function wants(which: Agent['respondOnMessage'] | null, kind: Situation['kind']): boolean {
  switch (which) {
    case 'no-messages':
      return false;
    case 'channel-messages':
      return kind === 'opening';
    case 'all-messages':
    case null:
      return true;
  }
}
