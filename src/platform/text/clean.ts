/** A longer URL is shown as text, because it could not be split into parts. */
const LINK_CHARACTERS = 2_000;

/**
 * Removes what must not pass between systems: control characters except tab and line break, lone surrogates and
 * noncharacters. NUL and surrogates become U+FFFD, as in CommonMark
 * (https://spec.commonmark.org/0.31.2/#insecure-characters); no database accepts them. So do noncharacters: a Markdown
 * writer may have to write one as `&#x…;`, which parsers read as U+FFFD. Joiners and direction marks are part of
 * writing and stay.
 */
export function cleanText(text: string): string {
  return text
    .replaceAll(/\r\n?|[\u2028\u2029]/g, '\n')
    .replaceAll(/\0|\p{Noncharacter_Code_Point}/gu, '\uFFFD')
    .replaceAll(/[\u0001-\u0008\u000B\u000C\u000E-\u001F\u007F-\u009F]/g, '')
    .toWellFormed();
}

/**
 * Returns whether a URL may be a link on either side. Excludes URLs that execute (`javascript:`) and those that only
 * look like a mention (`user:`).
 */
export function isLinkable(url: string): boolean {
  return url.length <= LINK_CHARACTERS && LINKABLE.test(url);
}

/** A `|` belongs to Slack's syntax (`<https://acme.example|here>`), not to a host or a mail address. */
const LINKABLE = /^(?:https?:\/\/[^\s<>|/?#]+(?:[/?#][^\s<>]*)?|(?:mailto|tel):[^\s<>|^]+)$/i;

/** Returns a URL as a browser writes it where it contains what would end it: `a b` is `a%20b`. */
export function encodedUrl(url: string): string {
  return /^(?:https?|mailto|tel):/i.test(url) ? url.trim().replaceAll(/[\s<>]/g, encodeURIComponent) : url;
}

/** Returns a URL as people read it: mail addresses and phone numbers without their scheme. */
export function shownUrl(url: string): string {
  return url.replace(/^(?:mailto|tel):/i, '');
}

/** Returns readable text for a URL that may not be a link. */
export function addressText(url: string, label: string): string {
  return label === '' || label === url ? url : `${label} (${url})`;
}
