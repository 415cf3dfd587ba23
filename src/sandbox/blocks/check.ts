import { z } from 'zod';

import { LIMITS } from '../limits.ts';
import type { Block } from '../workspace/content.ts';
import { block, doubledIds } from './layout.ts';
import { complaint, complaints } from './wording.ts';

const blocks = z.array(block).max(LIMITS.blocksPerMessage);

/**
 * Whether Slack would take these blocks in a message. The messages are in the form of Slack's
 * `response_metadata.messages`.
 */
export function checkBlocks(value: unknown):
  | { ok: true; blocks: Block[] }
  | {
      ok: false;
      error: 'invalid_blocks' | 'invalid_blocks_format' | 'msg_blocks_too_long';
      messages: string[];
    } {
  if (!Array.isArray(value))
    return { ok: false, error: 'invalid_blocks_format', messages: ['blocks is no array'] };
  const messages = complaints(blocks, value, '/blocks');
  if (messages.length > 0) return { ok: false, error: 'invalid_blocks', messages };
  const checked = value as Block[];
  const doubled = doubledIds(checked).map(({ what, index }) =>
    complaint(`\`${what}\` already exists`, '/blocks', [index]),
  );
  if (doubled.length > 0) return { ok: false, error: 'invalid_blocks', messages: doubled };
  if (textLength(checked) > LIMITS.allBlocksChars)
    return { ok: false, error: 'msg_blocks_too_long', messages: [] };
  return { ok: true, blocks: checked };
}

function textLength(value: unknown): number {
  if (typeof value !== 'object' || value === null) return 0;
  return Object.entries(value).reduce(
    (sum, [key, part]: [string, unknown]) =>
      sum + (typeof part === 'string' ? (key === 'text' ? part.length : 0) : textLength(part)),
    0,
  );
}
