import type { FastifyReply } from 'fastify';

import { escaped, sendCard } from '../http/card-page.ts';
import type { Scope } from './scopes.ts';

const MAY: Record<Scope, string> = {
  'tickets:read': 'Read the tickets and documents that you may read',
  'tickets:write': 'Open and change tickets, add notes and draft replies',
  'tickets:send': 'Send drafted replies to requesters, under your name',
};

export interface Consent {
  clientName: string;
  redirectUri: string;
  person: string;
  scopes: readonly Scope[];
  /** The fields that the form sends back, which are checked again. */
  fields: Readonly<Record<string, string>>;
}

/** Asks a person whether a program may act as them. */
export function sendConsentPage(
  reply: FastifyReply,
  { clientName, redirectUri, person, scopes, fields }: Consent,
): FastifyReply {
  const url = new URL(redirectUri);
  // The address of an app has no host that says anything.
  const target = url.protocol.startsWith('http') ? url.origin : url.protocol;
  const strong = (text: string) => `<strong>${escaped(text)}</strong>`;
  const hidden = Object.entries(fields)
    .map(([name, value]) => `<input type="hidden" name="${escaped(name)}" value="${escaped(value)}">`)
    .join('');
  return sendCard(reply, {
    title: 'Connect a program',
    // The policy of a page cannot name an IPv6 address.
    formTargets: [url.hostname.startsWith('[') ? url.protocol : target],
    body: `<h1>Connect ${escaped(clientName)}?</h1><p>It wants to use deskbridge as you, ${strong(person)}. It may:</p><ul>${scopes.map((scope) => `<li>${escaped(MAY[scope])}</li>`).join('')}</ul><p>Only where an admin has switched the AI tools on. You can end it at any time, under Account.</p><p>It chose its name itself. You are sent to ${strong(target)} afterwards: go on only if you have just started this there.</p><form method="post" action="/oauth/authorize">${hidden}<button name="decision" value="allow">Allow</button><button name="decision" value="deny" class="second">Do not allow</button></form>`,
  });
}

/** Says why a program cannot be connected: it may not be told by a redirect to an address that it did not register. */
export function sendRefusal(reply: FastifyReply, why: string): FastifyReply {
  return sendCard(reply.code(400), {
    title: 'Not connected',
    body: `<h1>This program cannot be connected</h1><p>${escaped(why)}</p>`,
  });
}
