import { isLinkable } from './clean.ts';

/** Splits a text into its URLs and what is between them, in order. */
export function splitAddresses(text: string): { words: string; isAddress: boolean }[] {
  const parts: { words: string; isAddress: boolean }[] = [];
  let last = 0;
  for (const match of text.matchAll(/(?<![\p{L}\p{N}])https?:\/\/[^\s<>|"]+/giu)) {
    const url = withoutStop(match[0]);
    if (!isLinkable(url)) continue;
    parts.push({ words: text.slice(last, match.index), isAddress: false }, { words: url, isAddress: true });
    last = match.index + url.length;
  }
  return [...parts, { words: text.slice(last), isAddress: false }];
}

/** The end of a sentence, or a bracket around a URL, is not part of it. */
function withoutStop(address: string): string {
  const isUnopened = address.split(')').length > address.split('(').length;
  const ending = isUnopened ? /[\p{L}\p{N}/=#&_-]/u : /[\p{L}\p{N}/=#&_)-]/u;
  let end = address.length;
  // From the end: a regular expression searching from each position takes quadratic time.
  while (end > 0 && !ending.test(address.slice(end - 1, end))) end -= 1;
  return address.slice(0, end);
}
