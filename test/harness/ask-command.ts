import type { SeenMessage } from './chat.ts';
import { until } from './until.ts';
import type { World } from './world.ts';

/** Runs a command and waits for its answer: the next message visible to that person only. */
export async function askCommand(
  { chat }: Pick<World, 'chat'>,
  user: string,
  text: string,
  channel = 'it-help',
): Promise<SeenMessage> {
  const before = (await chat.ephemeral(channel, user))?.ts;
  await chat.command(channel, user, text);
  return until(
    `an answer to /ticket ${text}`,
    async () => {
      const last = await chat.ephemeral(channel, user);
      return last && last.ts !== before ? last : undefined;
    },
    { seen: () => chat.messages(channel, user) },
  );
}
