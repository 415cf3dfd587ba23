const SIGNATURES: readonly [type: string, bytes: RegExp][] = [
  ['image/png', /^\x89PNG\r\n\x1a\n/],
  ['image/jpeg', /^\xff\xd8\xff/],
  ['image/gif', /^GIF8[79]a/],
  ['image/webp', /^RIFF[^]{4}WEBP/],
];
const LONGEST_SIGNATURE = 12;

/** Returns the picture's type by its first bytes, not its name; undefined for anything that Slack does not show. */
export function imageType(content: Buffer): string | undefined {
  const start = content.subarray(0, LONGEST_SIGNATURE).toString('latin1');
  return SIGNATURES.find(([, bytes]) => bytes.test(start))?.[0];
}
