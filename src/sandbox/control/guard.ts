import { isIP } from 'node:net';

import type { FastifyInstance } from 'fastify';

/** Paths for the workspace's own page and programs only: they act for people without a key. */
const GUARDED = /^\/(_control|_live|oauth|openid)(\/|$)/;

/** Paths for apps. Their tokens are the same everywhere, so a page that reaches them could act as the app. */
const FOR_APPS = /^\/(api|response|upload|files-pri|files-tmb)(\/|$)/;

/**
 * Rejects requests that another web page makes a browser send (DNS rebinding, cross-site requests): the `Host` must be
 * an IP address, the machine itself or `host`, which it listens on; an `Origin` must be the same or the machine itself.
 * Apps send no `Origin`, and may know the sandbox by a name that nobody can register, such as that of a container.
 */
export function guardRequests(server: FastifyInstance, host: string): void {
  server.addHook('onRequest', async (request, reply) => {
    // The route that was matched: the router has decoded what the URL may have written otherwise (`/%5Fcontrol`).
    const route = request.routeOptions.url ?? '';
    const isForApps = FOR_APPS.test(route);
    if (!isForApps && !GUARDED.test(route)) return;
    const { host: asked, origin } = request.headers;
    if (!isOurs(asked, host) && !(isForApps && isPrivateName(asked)))
      return reply.code(403).send({
        error: `the sandbox does not answer to this Host; use an address of this machine, localhost or ${host}`,
      });
    if (origin !== undefined && !isSame(origin, asked) && !isLoopback(hostName(origin)))
      return reply.code(403).send({ error: 'the sandbox does not answer to other web pages' });
  });
}

/** A name can be made to point here by its owner; an address and `localhost` cannot. */
function isOurs(asked: string | undefined, host: string): boolean {
  const name = hostName(`http://${asked ?? ''}`);
  return name !== undefined && (name === host.toLowerCase() || isIP(name) !== 0 || isLoopback(name));
}

/** A name without a dot, or below `.internal` (reserved for private networks): no public name server has either. */
function isPrivateName(asked: string | undefined): boolean {
  const name = hostName(`http://${asked ?? ''}`);
  return name !== undefined && (!name.includes('.') || name.endsWith('.internal'));
}

function isSame(origin: string, asked: string | undefined): boolean {
  return URL.parse(origin)?.host === URL.parse(`http://${asked ?? ''}`)?.host;
}

export function isLoopback(name: string | undefined): boolean {
  if (name === undefined) return false;
  return name === 'localhost' || name.endsWith('.localhost') || name === '::1' || /^127\.[\d.]+$/.test(name);
}

/** The host of an address without its port, lower case and without the brackets of IPv6. */
function hostName(address: string): string | undefined {
  const name = URL.parse(address)?.hostname;
  return name === undefined || name === '' ? undefined : name.replace(/^\[(.*)\]$/, '$1');
}
