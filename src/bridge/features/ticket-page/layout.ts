import { createHash } from 'node:crypto';

import { BRAND, PAGE_LOOK } from '../../../platform/http/page-look.ts';
import { escapeHtml } from '../../../platform/text/to-html.ts';

/** Designed for phones first; contrasts of 4.5:1 and more in both schemes. */
const STYLE = `${PAGE_LOOK}
body { font: 1rem/1.55 var(--font); }
main { max-width: 44rem; margin: 0 auto; padding: 1.5rem 1rem 3rem; }
h1 { font-size: 1.35rem; line-height: 1.3; margin: .15rem 0 1rem; }
h2 { font-size: 1rem; margin: 2rem 0 .75rem; }
.brand { margin-bottom: 1.5rem; }
.code, .quiet, time, dt { color: var(--muted); font-size: .875rem; }
.code { margin: 0; font-variant-numeric: tabular-nums; }
dl { display: grid; grid-template-columns: repeat(auto-fill, minmax(9rem, 1fr)); gap: .75rem 1rem; margin: 0; padding: 1rem; background: var(--surface); border: 1px solid var(--border); border-radius: .5rem; }
dt, dd { margin: 0; }
dd time { color: inherit; font-size: inherit; }
ol.talk { list-style: none; margin: 0; padding: 0; display: grid; grid-template-columns: minmax(0, 1fr); gap: .75rem; }
.talk > li, .text { background: var(--surface); border: 1px solid var(--border); border-radius: .5rem; padding: .75rem 1rem; }
.talk header { display: flex; flex-wrap: wrap; gap: 0 .6rem; align-items: baseline; }
p, ul, ol, pre, blockquote { margin: .4rem 0; }
.talk > li > ul { list-style: disc; }
pre, .wide { overflow-x: auto; }
pre { padding: .6rem; border: 1px solid var(--border); border-radius: .3rem; }
code { font: .9em ui-monospace, monospace; }
blockquote { padding-left: .8rem; border-left: 3px solid var(--border); color: var(--muted); }
table { border-collapse: collapse; }
th, td { border: 1px solid var(--border); padding: .25rem .5rem; text-align: left; }
footer { margin-top: 2.5rem; }
`;

/** Writes times in the reader's own time zone and clock, as Slack and the desk do; without it they stay in UTC. */
const SCRIPT = `
for (const time of document.querySelectorAll('time'))
  time.textContent = new Date(time.dateTime).toLocaleString(undefined, { dateStyle: 'medium', timeStyle: 'short' });
`;

const digestOf = (text: string) => `'sha256-${createHash('sha256').update(text).digest('base64')}'`;

/** The page loads nothing: its only style and its only script are inline, and allowed by their digests. */
export const PAGE_HEADERS = {
  'content-security-policy': [
    "default-src 'none'",
    `style-src ${digestOf(STYLE)}`,
    `script-src ${digestOf(SCRIPT)}`,
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'",
  ].join('; '),
  'cache-control': 'no-store',
  // A ticket's link is its key: no other site may learn it.
  'referrer-policy': 'no-referrer',
  'x-content-type-options': 'nosniff',
  'x-robots-tag': 'noindex, nofollow',
} as const;

/** Returns a whole page. `body` is HTML; the title is text. */
export function pageOf(title: string, body: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>${escapeHtml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<main>
${BRAND}
${body}
</main>
<script>${SCRIPT}</script>
</body>
</html>
`;
}

export function sayingPage(title: string, text: string): string {
  return pageOf(title, `<h1>${escapeHtml(title)}</h1>\n<p>${escapeHtml(text)}</p>`);
}
