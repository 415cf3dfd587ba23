/** A longer address is shown as text: it could not be split into parts. */
const LINK_CHARACTERS = 2_000;

/**
 * What of a text may cross: no control character but tab and line break, and no half of a character. NUL and halves
 * become U+FFFD, as CommonMark shows them (https://spec.commonmark.org/0.31.2/#insecure-characters); no database takes
 * them. Joiners and marks of direction are part of writing and stay.
 */
export function cleanText(text: string): string {
  return text
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll('\0', '\uFFFD')

    .replaceAll(/[\u0001-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g, '')
    .toWellFormed();
}

/**
 * Whether an address may be a link on either side. Neither side may be given one that runs (`javascript:`), nor one
 * that only looks like a mention (`user:`).
 */
export function isLinkable(url: string): boolean {
  return url.length <= LINK_CHARACTERS && /^(?:https?:\/\/|mailto:|tel:)[^\s<>]+$/i.test(url);
}

/** An address that may not be a link, readable. */
export function addressText(url: string, label: string): string {
  return label === '' || label === url ? url : `${label} (${url})`;
}
