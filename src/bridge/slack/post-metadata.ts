import { z } from 'zod';

import { parseJson } from './receiver.ts';

/** The type of the metadata of our posts (https://docs.slack.dev/messaging/message-metadata). */
const POST_EVENT = 'deskbridge_post';

const Payload = z.object({
  /** Our id of the attempt that created it or changed it last. */
  id: z.string(),
  /** The part of a ticket message that it shows, as its link names it, and the version (the service's `updatedAt`). */
  message: z.string().optional().catch(undefined),
  kind: z.enum(['text', 'file']).optional().catch(undefined),
  part: z.number().optional().catch(undefined),
  version: z.string().optional().catch(undefined),
  /** Set if that message was written in Slack: then it is there, whatever becomes of its record. */
  written: z.literal('chat').optional().catch(undefined),
  /** Set for the card of this ticket. */
  card: z.string().optional().catch(undefined),
});

/**
 * The metadata of our posts: by it a post is found again if the response was lost (B51), and links can be restored if
 * our database is lost.
 */
export type PostMetadata = z.infer<typeof Payload>;

export function metadataOf(metadata: PostMetadata): {
  event_type: string;
  event_payload: Record<string, string | number>;
} {
  const given = Object.entries(metadata).filter(
    (entry): entry is [string, string | number] => entry[1] !== undefined,
  );
  return {
    event_type: POST_EVENT,
    event_payload: Object.fromEntries(given),
  };
}

/** Chat's limit for a block's id (https://docs.slack.dev/reference/block-kit/blocks). */
const BLOCK_ID_CHARACTERS = 255;

/**
 * Returns the metadata as a block id, for messages without metadata: those that show files. Undefined if it is too
 * long.
 */
export function blockIdOf(metadata: PostMetadata): string | undefined {
  const id = JSON.stringify([POST_EVENT, metadataOf(metadata).event_payload]);
  return id.length <= BLOCK_ID_CHARACTERS ? id : undefined;
}

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
  blocks: z.tuple([z.object({ block_id: z.string().transform(parseJson).pipe(BlockId) })], z.unknown()),
});

/** Returns our metadata of a listed message, or undefined. */
export function readPostMetadata(raw: unknown): { ts: string; metadata: PostMetadata } | undefined {
  const { data } = Marked.safeParse(raw);
  if (data) return { ts: data.ts, metadata: data.metadata.event_payload };
  const { data: file } = MarkedFile.safeParse(raw);
  return file && { ts: file.ts, metadata: file.blocks[0].block_id[1] };
}

/** The name and picture of a post (`chat:write.customize`); default the app's own. */
export interface SenderIdentity {
  name?: string | undefined;
  iconUrl?: string | undefined;
  iconEmoji?: string | undefined;
}

/** Returns a sender identity; with the picture only if Slack can fetch it, else the emoji if there is one (B13). */
export function senderIdentity(name: string | null, image: string | null, emoji?: string): SenderIdentity {
  return {
    ...(name ? { name } : {}),
    ...(isPublicHttps(image) ? { iconUrl: image } : emoji === undefined ? {} : { iconEmoji: emoji }),
  };
}

function isPublicHttps(image: string | null): image is string {
  const url = image ? URL.parse(image) : null;
  return url?.protocol === 'https:' && url.hostname.includes('.') && !/^[\d.]+$|:/.test(url.hostname);
}
