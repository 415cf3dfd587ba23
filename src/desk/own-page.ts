import type { IncomingHttpHeaders } from 'node:http';

/**
 * Whether a request was made by the desk's own page. Browsers say so in `Sec-Fetch-Site`
 * (https://www.w3.org/TR/fetch-metadata/), and where they do not (plain http on another host than localhost) in
 * `Origin`, which every write has. A page on another port of this host is another page.
 */
export function isOwnPage(method: string, headers: IncomingHttpHeaders): boolean {
  const site = headers['sec-fetch-site'];
  if (site !== undefined) return site === 'same-origin';
  if (headers.origin === undefined) return method === 'GET';
  return URL.parse(headers.origin)?.host === headers.host;
}
