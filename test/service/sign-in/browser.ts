/** The public URL of a test's service, which listens on another port. */
const PUBLIC = 'http://127.0.0.1';

interface Cookie {
  host: string;
  name: string;
  value: string;
  path: string;
}

export interface Visit {
  status: number;
  url: string;
  headers: Headers;
  text: string;
  /** Where it sends the browser. */
  location: string | undefined;
}

interface Request {
  method?: string;
  headers?: Record<string, string>;
  form?: Record<string, string>;
}

/** A browser with cookies; it follows redirects until one leads out of the sign-in. */
export class Browser {
  readonly #service: string;
  readonly #cookies: Cookie[] = [];

  /** @param service where the service really listens. */
  constructor(service: string) {
    this.#service = service;
  }

  cookie(name: string): Cookie | undefined {
    return this.#cookies.find((one) => one.name === name);
  }

  /** One request. */
  async visit(address: string, { method = 'GET', headers = {}, form }: Request = {}): Promise<Visit> {
    const url = new URL(address, PUBLIC);
    const isService = url.origin === PUBLIC;
    const real = isService ? `${this.#service}${url.pathname}${url.search}` : url.href;
    const cookies = this.#cookies.filter(
      ({ host, path }) => host === url.host && url.pathname.startsWith(path),
    );
    const answer = await fetch(real, {
      method,
      redirect: 'manual',
      headers: {
        ...(cookies.length > 0 && {
          cookie: cookies.map(({ name, value }) => `${name}=${value}`).join('; '),
        }),
        ...headers,
      },
      ...(form && { body: new URLSearchParams(form) }),
    });
    for (const line of answer.headers.getSetCookie()) this.#keep(url.host, line);
    const location = answer.headers.get('location');
    return {
      status: answer.status,
      url: url.href,
      headers: answer.headers,
      text: await answer.text(),
      location: location === null ? undefined : new URL(location, url).href,
    };
  }

  /** Visits an address and what it leads to, up to the first response that `until` accepts. */
  async follow(address: string, until: (visit: Visit) => boolean): Promise<Visit> {
    let next: string | undefined = address;
    for (let hop = 0; hop < 20 && next !== undefined; hop++) {
      const visit: Visit = await this.visit(next);
      if (until(visit)) return visit;
      next = visit.location;
    }
    throw new Error(`${address} does not lead there`);
  }

  #keep(host: string, line: string): void {
    const [pair = '', ...attributes] = line.split(/;\s*/);
    const [name = '', value = ''] = pair.split('=');
    const path = attributes.find((one) => one.startsWith('Path='))?.slice(5) ?? '/';
    const known = this.#cookies.findIndex(
      (one) => one.host === host && one.name === name && one.path === path,
    );
    if (known >= 0) this.#cookies.splice(known, 1);
    const isGone = attributes.some((one) => /^(max-age=0|expires=.*1970.*)$/i.test(one));
    if (value !== '' && !isGone) this.#cookies.push({ host, name, value, path });
  }
}

/** Goes from the start of a sign-in to the redirect at its end. */
export async function signIn(
  browser: Browser,
  { provider = 'oidc', returnTo = '/' }: { provider?: string; returnTo?: string } = {},
): Promise<Visit> {
  const start = `/auth/start/${provider}?${new URLSearchParams({ returnTo }).toString()}`;
  return browser.follow(start, isEnd);
}

/** Goes to the redirect back from the provider, without following it; returns its address. */
export async function untilCallback(browser: Browser, provider = 'oidc'): Promise<URL> {
  const isBack = ({ location }: Visit) => location?.startsWith(`${PUBLIC}/auth/callback/`) === true;
  const { location } = await browser.follow(`/auth/start/${provider}`, isBack);
  return new URL(location ?? '');
}

function isEnd({ url, location }: Visit): boolean {
  return url.startsWith(`${PUBLIC}/auth/`) && location?.startsWith(`${PUBLIC}/`) === true;
}

/** The code of a refusal; undefined if the person is signed in. */
export function refusalOf({ location }: Visit): string | undefined {
  return /\/sign-in\?reason=([\w-]+)$/.exec(location ?? '')?.[1];
}
