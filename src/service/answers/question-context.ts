import type { Selectable } from 'kysely';

import type { Agent, QueueSettings } from '../../contract/index.ts';
import type { ServiceDb } from '../handler.ts';
import { queueSettings } from '../queues/records.ts';
import type { Tables } from '../schema/tables.ts';
import type { StoredTicket } from '../tickets/find.ts';
import { claimOf } from '../tickets/records.ts';
import { decideAnswer, type Decision } from './decide.ts';
import type { Question } from '../agents/questions.ts';
import { agentsFor, conversationOf } from './conversation.ts';
import { isSmallTalk } from './small-talk.ts';

type Message = Selectable<Tables['ticket_message']>;

/** A question with its current context. */
export interface QuestionContext {
  ticket: StoredTicket;
  settings: QueueSettings;
  /** The AI agent that answers, or would be the first to; undefined if there is none here. */
  agent: Agent | undefined;
  decision: Decision;
  /** The public messages so far, oldest first, without those of users other than the requester and the AI agents. */
  conversation: readonly Message[];
  /** The ticket's own text. */
  opening: string;
  /** The requester's messages since an AI agent's last answer, including the opening, without small talk. */
  text: string;
}

/** Newest public messages considered: longer conversations involve people. */
const MESSAGES_AT_MOST = 100;

/**
 * Returns the current state of a question, and the AI agent that answers it: the ticket's own, else the first created
 * that does. Undefined if the ticket is gone. In a transaction that has locked the ticket, none of it changes before
 * its end.
 */
export async function readQuestionContext(
  db: ServiceDb,
  question: Question,
  now: Date,
): Promise<QuestionContext | undefined> {
  const ticket = await db
    .selectFrom('ticket')
    .selectAll()
    .where('workspace_id', '=', question.workspaceId)
    .where('id', '=', question.ticketId)
    .executeTakeFirst();
  if (!ticket) return undefined;
  const messages = await publicMessages(db, ticket);
  const place = await conversationOf(db, ticket);
  const agents = await agentsFor(db, ticket);
  const settings = queueSettings(place.queue);
  const isRequesters = ({ author_id, source }: Message) =>
    author_id !== null && author_id === ticket.requester_id && source !== 'AGENT';
  const conversation = messages.filter((message) => isRequesters(message) || message.source === 'AGENT');
  const asked = conversation.find(({ id }) => id === question.messageId);
  const opening = [ticket.title, ticket.description].filter(Boolean).join('\n\n');
  const ticketState = {
    disableAIResponse: ticket.disable_ai_response,
    direct: ticket.private && ticket.chat_channel_id !== null && !place.isLinked,
    assignedAgentId: agents.find(({ id }) => id === ticket.assigned_ai_agent)?.id ?? null,
    assignedSince:
      ticket.assignee_id !== null && ticket.assigned_at !== null && ticket.assigned_at > ticket.created_at,
    claimed: claimOf(ticket, now) !== null,
    othersReplied: messages.some(
      (message) =>
        !conversation.includes(message) && message.workflow_id === null && !place.bots.has(message.author_id),
    ),
  };
  const decideOn = (agent: Agent, message: Message | undefined, superseded: boolean) => {
    const text = message?.content ?? opening;
    return decideAnswer(
      settings,
      { ...agent, worksHere: true },
      {
        kind: message ? 'message' : 'opening',
        text,
        mentioned: mentions(text, [agent.name, place.botName]),
        isPublic: !place.requesterIsBot && (message !== undefined || question.messageId === null),
        superseded,
        ticket: { ...ticketState, ended: hasEnded(ticket, message?.created_at ?? ticket.created_at) },
      },
    );
  };
  const later = (asked ? conversation.slice(conversation.indexOf(asked) + 1) : conversation).filter(
    isRequesters,
  );
  const decisions = agents.map((agent) => {
    const superseded = later.some((message) => decideOn(agent, message, false).answers);
    return { agent, decision: decideOn(agent, asked, superseded) };
  });
  const chosen = decisions.find(({ decision }) => decision.answers) ?? decisions[0];
  const lastAnswer = conversation.findLastIndex(({ source }) => source === 'AGENT');
  const open = conversation
    .slice(lastAnswer + 1)
    .map(({ content }) => content)
    .filter((content) => !isSmallTalk(content));
  return {
    ticket,
    settings,
    agent: chosen?.agent,
    decision: chosen?.decision ?? { answers: false, why: 'no AI agent works here' },
    conversation,
    opening,
    text: [...(lastAnswer === -1 ? [opening] : []), ...open].join('\n\n'),
  };
}

/** Returns the newest of the ticket's public messages, oldest first. */
async function publicMessages(
  db: ServiceDb,
  { workspace_id, id }: Pick<StoredTicket, 'workspace_id' | 'id'>,
): Promise<Message[]> {
  const newest = await db
    .selectFrom('ticket_message')
    .selectAll()
    .where('workspace_id', '=', workspace_id)
    .where('ticket_id', '=', id)
    .where('private', '=', false)
    .where('deleted_at', 'is', null)
    .orderBy('created_at', 'desc')
    .orderBy('id', 'desc')
    .limit(MESSAGES_AT_MOST)
    .execute();
  return newest.toReversed();
}

/** Ended before the question: a requester who writes on a solved ticket asks again. */
function hasEnded({ archived_at, published, resolved_at, closed_at }: StoredTicket, asked: Date): boolean {
  const end = closed_at ?? resolved_at;
  return archived_at !== null || !published || (end !== null && end >= asked);
}

/**
 * Returns whether a text mentions one of these with an `@`. Users are mentioned by links; a bot's name is plain text.
 */
function mentions(text: string, called: readonly string[]): boolean {
  const lower = text.toLowerCase();
  return called.some((name) => {
    const at = lower.indexOf(`@${name.toLowerCase()}`);
    return at !== -1 && !/^[\p{L}\p{N}_]/u.test(lower.slice(at + 1 + name.length));
  });
}
