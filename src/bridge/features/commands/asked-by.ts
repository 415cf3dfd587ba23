import type { Bridge } from '../../bridge.ts';
import { parseCommand } from './command-rules.ts';
import type { ChatCommand } from '../../slack/chat-event.ts';
import { personOf } from '../../people/people.ts';
import type { Asked } from './asked.ts';

/** Returns a command's request, with the user. Throws ChatError, ServiceError. */
export async function askedBy(
  bridge: Bridge,
  { team, channel, user, escaped }: ChatCommand,
  { words }: { words: string },
  begun: Asked['begun'] & { inboxId: string | null },
  typedAt: Date,
): Promise<Asked> {
  const typed = parseCommand(escaped);
  return {
    team,
    channel,
    person: await personOf(bridge, team, user),
    words,
    escaped: 'words' in typed ? typed.words : '',
    begun,
    typedAt,
    key: begun.inboxId ?? '',
  };
}
