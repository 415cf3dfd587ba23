import { sign } from '../../src/platform/signatures.ts';

/** Posts an event to a bridge's webhook as its service does, signed with the secret of the registration. */
export async function postSigned(
  url: string,
  { id, secret, event }: { id: string; secret: string; event: unknown },
): Promise<{ status: number; body: unknown }> {
  const body = JSON.stringify(event);
  const timestamp = String(Math.floor(Date.now() / 1000));
  const answer = await fetch(url, {
    method: 'POST',
    headers: {
      'content-type': 'application/json',
      'webhook-id': id,
      'webhook-timestamp': timestamp,
      'webhook-signature': sign({ id, timestamp, body: Buffer.from(body) }, [secret]),
    },
    body,
  });
  return { status: answer.status, body: await answer.json() };
}
