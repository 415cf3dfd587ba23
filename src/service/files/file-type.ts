import { imageType } from '../workspaces/image-type.ts';
import { imageSize } from './image-size.ts';

export interface FileType {
  type: string;
  width: number | null;
  height: number | null;
}

/** Bytes of the start of a file that its type is found from: the size of a JPEG may come after its embedded preview. */
export const HEAD_BYTES = 128 * 1024;
const TEXT_BYTES = 8 * 1024;
const BINARY = 'application/octet-stream';
/** Characters that no text has. */
const NOT_TEXT = /[\0-\x08\x0e-\x1a\x1c-\x1f\x7f]/;

/** Returns the type of a file by its first bytes, one of those that no browser executes; else the one for any bytes. */
export function fileType(head: Buffer): FileType {
  const image = imageType(head);
  if (image !== undefined) {
    const size = imageSize(image, head);
    return { type: image, width: size?.width ?? null, height: size?.height ?? null };
  }
  const type = head.subarray(0, 5).toString('latin1') === '%PDF-' ? 'application/pdf' : textType(head);
  return { type, width: null, height: null };
}

function textType(head: Buffer): string {
  if (head.length === 0) return BINARY;
  try {
    // A character may be cut at the end.
    const text = new TextDecoder('utf-8', { fatal: true }).decode(head.subarray(0, TEXT_BYTES), {
      stream: true,
    });
    return NOT_TEXT.test(text) ? BINARY : 'text/plain';
  } catch {
    return BINARY;
  }
}
