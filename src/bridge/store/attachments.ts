import type { Root } from 'mdast';

import { fingerprint } from '../slack/ids.ts';
import { type Image, imagesIn } from '../text/to-chat.ts';

/**
 * What a ticket message shows besides its text: an image at a URL in it, or a file, whose URL is a path of the service.
 */
export interface Attachment extends Image {
  /** The size of a file. */
  bytes?: number;
}

interface WithFiles {
  content: string;
  source?: string | null;
  files?: readonly { id: string; name: string; size: number; url: string }[] | undefined;
}

/** The files of a message that was written in chat came from there, and its text has their links. */
const filesOf = ({ source, files = [] }: WithFiles) => (source === 'CHAT' ? [] : files);

/** @param text the message's content, if it is parsed already. */
export function attachmentsOf(message: WithFiles, text: Root | string = message.content): Attachment[] {
  return [
    ...imagesIn(text),
    ...filesOf(message).map(({ url, name, size }) => ({ url, alt: name, bytes: size })),
  ];
}

/** Returns a digest of what a place shows of a ticket message. */
export function attachmentDigest(
  { role }: { role: 'request' | 'triage' | 'direct' },
  message: WithFiles & { private: boolean },
): string {
  // In the team's thread a note has a label, and what the requester reads, too, has none.
  const label = role === 'triage' && !message.private ? ['public'] : [];
  return fingerprint([message.content, ...filesOf(message).map(({ id }) => id), ...label].join('\0'));
}

/**
 * Returns the id of the service's file at an attachment's URL; undefined if that is any other URL. Earlier versions
 * stored a path below the base URL.
 */
export function serviceFileAt(url: string): string | undefined {
  return /^(?:\/api)?\/files\/([^/?#]+)$/.exec(url)?.[1];
}
