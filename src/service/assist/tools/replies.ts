import { z } from 'zod';

import { LIMITS } from '../../../contract/index.ts';
import { malformed } from '../../problem.ts';
import { writingTool } from '../tool.ts';
import { recordId, ticketName } from './ticket-summary.ts';

const version = z.int().min(1);

export const draftReply = writingTool({
  name: 'draft_reply',
  title: 'Draft a reply',
  description:
    'Writes a reply to the requester as a draft on the ticket, where the team sees it. Nothing is sent. With draftId and version, replaces that version.',
  needs: 'write',
  isDestructive: false,
  input: z.object({
    ticket: ticketName.optional().describe('For a new draft.'),
    draftId: recordId.optional().describe('To replace a draft.'),
    version: version.optional().describe('Of the draft to replace.'),
    text: z.string().min(1).max(LIMITS.messageContent).describe('Markdown.'),
  }),
  output: z.strictObject({ ticketId: z.string(), draftId: z.string(), version }),
  async answer({ write }, { ticket, draftId, version: replaced, text }) {
    if (
      (ticket === undefined) === (draftId === undefined) ||
      (draftId === undefined) !== (replaced === undefined)
    )
      throw malformed([
        { path: '', message: 'Name a ticket for a new draft, or draftId and version to replace one' },
      ]);
    const draft =
      draftId === undefined
        ? await write('createReplyDraft', { params: { id: ticket ?? '' }, body: { content: text } })
        : await write('updateReplyDraft', {
            params: { id: draftId },
            body: { content: text, version: replaced ?? 0 },
          });
    return { ticketId: draft.ticketId, draftId: draft.id, version: draft.version };
  },
});

export const sendReply = writingTool({
  name: 'send_reply',
  title: 'Send a drafted reply',
  description:
    'Sends a version of a draft to the requester. Only after the caller has seen this version and told you to send it.',
  needs: 'send',
  isDestructive: true,
  input: z.object({ draftId: recordId, version: version.describe('As the caller has seen it.') }),
  output: z.strictObject({ ticketId: z.string(), messageId: z.string(), draftId: z.string(), version }),
  async answer({ write }, { draftId, version: seen }) {
    const sent = await write('sendReplyDraft', { params: { id: draftId }, body: { version: seen } });
    return { ticketId: sent.ticketId, messageId: sent.id, draftId, version: seen };
  },
});
