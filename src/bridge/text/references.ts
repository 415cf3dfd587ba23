import { z } from 'zod';

/** The parts of a message that may reference users, channels and user groups. */
interface Content {
  text: string;
  blocks: readonly unknown[];
  attachments?: readonly unknown[];
}

/** Returns the chat users that a message itself mentions, without those in forwarded messages. */
export function mentionedUsers({ text, blocks }: Content): string[] {
  return referencesIn({ text, blocks }).users;
}

/**
 * Returns the users, channels and user groups that a message references, so that their names can be looked up before it
 * is converted. In rich text only elements are references: `<@U1>` that a person typed is text.
 */
export function referencesIn({ text, blocks, attachments = [] }: Content): {
  users: string[];
  channels: string[];
  groups: string[];
} {
  const found: References = { users: new Set(), channels: new Set(), groups: new Set() };
  if (!blocks.some((block) => RichText.safeParse(block).success)) addFromMrkdwn(text, found);
  addReferences(blocks, found);
  addReferences(attachments, found);
  return { users: [...found.users], channels: [...found.channels], groups: [...found.groups] };
}

/** Blocks nest less deeply than this; what is deeper is not read. */
export const MAX_BLOCK_DEPTH = 60;

const RichText = z.object({ type: z.literal('rich_text') });
const ID = /^[A-Z0-9]{1,40}$/;
/** Element types whose text contains no references. */
const WITHOUT_REFERENCES: ReadonlySet<unknown> = new Set(['text', 'link', 'emoji', 'plain_text', 'markdown']);

interface References {
  users: Set<string>;
  channels: Set<string>;
  groups: Set<string>;
}

function addReferences(value: unknown, found: References, depth = 0): void {
  if (typeof value === 'string') addFromMrkdwn(value, found);
  if (typeof value !== 'object' || value === null || depth > MAX_BLOCK_DEPTH) return;
  // Checked by hand: a long text has thousands of elements, for which a schema of each kind takes a tenth of a second.
  const { type, user_id, channel_id, usergroup_id } = value as Record<string, unknown>;
  const isId = (id: unknown): id is string => typeof id === 'string' && ID.test(id);
  if (type === 'user' && isId(user_id)) found.users.add(user_id);
  else if (type === 'usergroup' && isId(usergroup_id)) found.groups.add(usergroup_id);
  else if (type === 'channel' && isId(channel_id)) found.channels.add(channel_id);
  else if (!WITHOUT_REFERENCES.has(type))
    for (const part of Object.values(value)) addReferences(part, found, depth + 1);
}

/** A reference in mrkdwn. A label cannot contain another reference, so that the match takes linear time. */
const IN_MRKDWN = /<(@|#|!subteam\^)([A-Z0-9]{1,40})(?:\|[^<>]*)?>/g;

function addFromMrkdwn(text: string, { users, channels, groups }: References): void {
  for (const [, mark, id = ''] of text.matchAll(IN_MRKDWN))
    if (mark === '@') users.add(id);
    else if (mark === '#') channels.add(id);
    else groups.add(id);
}
