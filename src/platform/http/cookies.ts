/**
 * Attributes of our cookies: no script reads them, and of other sites' requests only a link that is followed sends
 * them.
 */
export interface Cookie {
  name: string;
  /** Whether the program is served over https, so that browsers send the cookie over https only. */
  secure: boolean;
}

/**
 * Returns the name by which browsers know a cookie. Over https it begins with `__Host-`: a browser takes such a cookie
 * only from this host, over https and for all of its paths, so no other subdomain can plant one
 * (https://developer.mozilla.org/docs/Web/HTTP/Reference/Headers/Set-Cookie#cookie_prefixes). Over plain http, which
 * only this machine uses, browsers take no such name.
 */
export function cookieName({ name, secure }: Cookie): string {
  return secure ? `__Host-${name}` : name;
}

/** Returns the `set-cookie` header of a cookie that lasts this many seconds; 0 removes it. */
export function setCookieHeader(cookie: Cookie, value: string, seconds: number): string {
  const secure = cookie.secure ? '; Secure' : '';
  return `${cookieName(cookie)}=${value}; Path=/; HttpOnly; SameSite=Lax; Max-Age=${seconds}${secure}`;
}

/**
 * Returns the value of a cookie in a `cookie` header; undefined if there is none, or if there are two with different
 * values: one of them was planted by another site of the domain, and which one does not show.
 */
export function readCookie(header: string | undefined, cookie: Cookie): string | undefined {
  const prefix = `${cookieName(cookie)}=`;
  const values = (header ?? '')
    .split(';')
    .map((part) => part.trim())
    .filter((part) => part.startsWith(prefix))
    .map((part) => part.slice(prefix.length));
  const [value] = values;
  return value && values.every((other) => other === value) ? value : undefined;
}
