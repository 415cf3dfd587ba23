/** The page that connects a program has what that sends in its address. */
const LONGEST = 8_000;

/**
 * Returns the path that a person is sent to after signing in, or `/` if the wanted one is not a path of this origin.
 * Browsers ignore tabs and read `\` as `/`, so the path is taken from the URL as they understand it.
 */
export function returnPath(wanted: unknown, publicUrl: string): string {
  if (typeof wanted !== 'string' || !wanted.startsWith('/') || wanted.length > LONGEST) return '/';
  const url = URL.parse(wanted, publicUrl);
  // `/.//host` has the path `//host`, which is another origin.
  if (url?.origin !== new URL(publicUrl).origin || url.pathname.startsWith('//')) return '/';
  return `${url.pathname}${url.search}${url.hash}`;
}
