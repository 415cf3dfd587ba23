import { transaction } from '../../platform/database/open.ts';
import type { Bridge } from '../bridge.ts';
import { plan } from '../outbox/outbox.ts';
import type { Tell } from '../inbox/answer-in-time.ts';

/** Sends an ephemeral message to a user where they acted; best effort (B0a). */
export function tellInPlace(
  bridge: Bridge,
  {
    team,
    channel,
    user,
    thread,
  }: { team: string; channel: string; user: string; thread: string | undefined },
): Tell {
  return ({ text }) =>
    transaction(bridge.database.db, (tx) =>
      plan(tx, bridge, { conversationId: null, team, channel }, [{ kind: 'whisper', user, text, thread }]),
    );
}
