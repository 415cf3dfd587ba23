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

/** Chat's limit for a block's id (https://docs.slack.dev/reference/block-kit/blocks). */
const BLOCK_ID_CHARACTERS = 255;

/** A mark as a block's id, for messages that take no metadata: those that show files. Undefined where it is too long. */
export function blockIdOf(mark: Mark): string | undefined {
  const id = JSON.stringify([POST_EVENT, metadataOf(mark).event_payload]);
  return id.length <= BLOCK_ID_CHARACTERS ? id : undefined;
}

const Payload = z.object({
  id: z.string(),
  message: z.string().optional().catch(undefined),
  part: z.number().optional().catch(undefined),
  version: z.string().optional().catch(undefined),
  card: z.string().optional().catch(undefined),
});

const Marked = z.object({
  ts: z.string(),
  metadata: z.object({
    event_type: z.literal(POST_EVENT),
    event_payload: Payload,
  }),
});

const BlockId = z.tuple([z.literal(POST_EVENT), Payload]);
const MarkedFile = z.object({
  ts: z.string(),
  blocks: z.tuple([z.object({ block_id: z.string().transform(readJson).pipe(BlockId) })], z.unknown()),
});

/** The mark of a message that chat lists with its metadata; undefined where it bears none of ours. */
export function readMark(raw: unknown): { ts: string; mark: Mark } | undefined {
  const { data } = Marked.safeParse(raw);
  if (data) return { ts: data.ts, mark: data.metadata.event_payload };
  const { data: file } = MarkedFile.safeParse(raw);
  return file && { ts: file.ts, mark: file.blocks[0].block_id[1] };
}

function readJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
