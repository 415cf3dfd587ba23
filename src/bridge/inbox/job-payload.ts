import { z } from 'zod';

/** The job of a received event; `again` if work on it may have started under another conversation's ordering key. */
export const InboxPayload = z.object({ inbox: z.string(), again: z.literal(true).optional() });
