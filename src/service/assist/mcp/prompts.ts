import { ticketName } from '../tools/ticket-summary.ts';

interface Prompt {
  name: string;
  title: string;
  description: string;
  /** What the model is asked to do with a ticket; no words of others are in it. */
  text: (ticket: string) => string;
}

/** What people ask an assistant for most often. */
export const PROMPTS: readonly Prompt[] = [
  {
    name: 'triage',
    title: 'Triage a ticket',
    description: 'Suggests queue, priority, tags, assignee and duplicates.',
    text: (ticket) =>
      `Triage the ticket ${ticket}. Read it with get_ticket, look for duplicates with find_similar, and for the choices with list_choices. Say what you suggest for status, priority, tags and assignee, each with a reason of one sentence, and which tickets are duplicates. Change nothing before I agree.`,
  },
  {
    name: 'hand_over',
    title: 'Hand a ticket over',
    description: 'Sums a ticket up for the person who works on it next.',
    text: (ticket) =>
      `Write a hand-over of the ticket ${ticket}. Read all of it with get_ticket. Say in at most ten lines: what is asked for, what was tried, what is open, and what was promised to whom. Show it to me first. If I agree, add it with add_note.`,
  },
  {
    name: 'answer_from_documents',
    title: 'Answer from documents',
    description: 'Drafts a reply from the knowledge bases, with its sources.',
    text: (ticket) =>
      `Draft a reply to the ticket ${ticket}. Read it with get_ticket and look up what answers it with search_documents and find_similar. Use only what you find there, and name the documents. If nothing answers it, say so and ask me. Store the reply with draft_reply and show it to me; do not send it before I say so.`,
  },
];

/** Returns the words of a prompt; undefined for an unknown one, or without a ticket. */
export function promptText(name: string, given: Record<string, string> | undefined): string | undefined {
  const prompt = PROMPTS.find((each) => each.name === name);
  const ticket = ticketName.safeParse(given?.['ticket']);
  return ticket.success ? prompt?.text(ticket.data) : undefined;
}
