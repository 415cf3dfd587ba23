export interface ImageSize {
  width: number;
  height: number;
}

/** Returns the size in pixels that an image's header states; undefined if it states none. */
export function imageSize(type: string, head: Buffer): ImageSize | undefined {
  try {
    const size = READERS[type]?.(head);
    return size && size.width > 0 && size.height > 0 ? size : undefined;
  } catch (error) {
    // The header is cut.
    if (error instanceof RangeError) return undefined;
    throw error;
  }
}

const READERS: Record<string, (head: Buffer) => ImageSize | undefined> = {
  // https://www.w3.org/TR/png-3/#11IHDR
  'image/png': (head) => ({ width: head.readInt32BE(16), height: head.readInt32BE(20) }),
  // https://www.w3.org/Graphics/GIF/spec-gif89a.txt, 18
  'image/gif': (head) => ({ width: head.readUInt16LE(6), height: head.readUInt16LE(8) }),
  'image/webp': webpSize,
  'image/jpeg': jpegSize,
};

/** https://developers.google.com/speed/webp/docs/riff_container */
function webpSize(head: Buffer): ImageSize | undefined {
  switch (head.toString('latin1', 12, 16)) {
    case 'VP8 ':
      return { width: head.readUInt16LE(26) & 0x3fff, height: head.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const bits = head.readUInt32LE(21);
      return { width: (bits & 0x3fff) + 1, height: ((bits >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: head.readUIntLE(24, 3) + 1, height: head.readUIntLE(27, 3) + 1 };
    default:
      return undefined;
  }
}

/** ITU T.81, B.2.2: the frame header is the first segment SOF0 to SOF15 that is no table. */
function jpegSize(head: Buffer): ImageSize | undefined {
  for (let at = 2; head.readUInt8(at) === 0xff; at += 2 + head.readUInt16BE(at + 2)) {
    const marker = head.readUInt8(at + 1);
    if (marker >= 0xc0 && marker <= 0xcf && ![0xc4, 0xc8, 0xcc].includes(marker))
      return { height: head.readUInt16BE(at + 5), width: head.readUInt16BE(at + 7) };
  }
  return undefined;
}
