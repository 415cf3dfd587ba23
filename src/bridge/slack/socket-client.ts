import { SocketModeClient } from '@slack/socket-mode';
import { z } from 'zod';

/** An event envelope as the client expects it, or any other envelope. */
const Known = z.union([
  z.object({ type: z.literal('events_api'), payload: z.object({ event: z.object({ type: z.string() }) }) }),
  z.object({ type: z.string() }).refine(({ type }) => type !== 'events_api'),
]);
const Envelope = z.object({ envelope_id: z.string(), payload: z.unknown() });

/**
 * Bolt's Socket Mode client, without its crash: on an Events API envelope without an event (such as `app_rate_limited`:
 * https://docs.slack.dev/reference/events/app_rate_limited) it throws where nothing can catch it, which ends the
 * process.
 */
export class SturdySocketClient extends SocketModeClient {
  /** Called with the payload of an envelope without an event, once it is acknowledged. */
  onUnreadable: (payload: unknown) => void = () => undefined;

  protected override async onWebSocketMessage(data: string | ArrayBuffer, isBinary: boolean): Promise<void> {
    const text = typeof data === 'string' ? data : new TextDecoder().decode(data);
    const message = isBinary ? undefined : parse(text);
    if (message === undefined || Known.safeParse(message).success)
      return super.onWebSocketMessage(data, isBinary);
    const envelope = Envelope.safeParse(message);
    if (envelope.success)
      this.websocket?.send(JSON.stringify({ envelope_id: envelope.data.envelope_id }), () => undefined);
    this.onUnreadable(envelope.success ? envelope.data.payload : message);
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
