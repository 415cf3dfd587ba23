import type { AssistTool } from '../tool.ts';
import { addNote, changeTicket, createTicket, decideApproval } from './change-tickets.ts';
import { readDocument, searchDocuments } from './documents.ts';
import { findSimilar, myWork, searchTickets } from './find-tickets.ts';
import { getTicket } from './get-ticket.ts';
import { listChoices } from './list-choices.ts';
import { draftReply, sendReply } from './replies.ts';

/** Every tool: the jobs of support. None deletes, merges or changes settings. */
export const TOOLS: readonly AssistTool[] = [
  searchTickets,
  getTicket,
  findSimilar,
  searchDocuments,
  listChoices,
  myWork,
  createTicket,
  addNote,
  changeTicket,
  decideApproval,
  draftReply,
  sendReply,
];

/** Reads that are offered as resources, not as tools. */
export const RESOURCE_TOOLS: readonly AssistTool[] = [readDocument];
