import { z } from 'zod';

/** The type of the metadata that a post of ours bears (https://docs.slack.dev/messaging/message-metadata). */
const POST_EVENT = 'deskbridge_post';

/**
 * What a post of ours is, kept with it in chat: it is found again when the answer to it was lost (B51), and the links
 * can be restored from chat when our own database is gone.
 */
export interface Mark {
  /** Our id of the attempt that made it, or changed it last. */
  id: string;
  /** The ticket message that it carries, which part of it, and in which state (the service's `updatedAt`). */
  message?: string | undefined;
  part?: number | undefined;
  version?: string | undefined;
  /** It is the card of this ticket. */
  card?: string | undefined;
}

export function metadataOf(mark: Mark): {
  event_type: string;
  event_payload: Record<string, string | number>;
} {
  const given = Object.entries(mark).filter(([, value]) => value !== undefined);
  return {
    event_type: POST_EVENT,
    event_payload: Object.fromEntries(given),
  };
}

const Marked = z.object({
  ts: z.string(),
  metadata: z.object({
    event_type: z.literal(POST_EVENT),
    event_payload: z.object({
      id: z.string(),
      message: z.string().optional().catch(undefined),
      part: z.number().optional().catch(undefined),
      version: z.string().optional().catch(undefined),
      card: z.string().optional().catch(undefined),
    }),
  }),
});

/** The mark of a message that chat lists with its metadata; undefined where it bears none of ours. */
export function readMark(raw: unknown): { ts: string; mark: Mark } | undefined {
  const parsed = Marked.safeParse(raw);
  return parsed.success ? { ts: parsed.data.ts, mark: parsed.data.metadata.event_payload } : undefined;
}
