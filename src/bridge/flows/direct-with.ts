import type { Bridge } from '../bridge.ts';
import { ChatError } from '../chat/errors.ts';

/** The direct conversation with somebody; undefined where chat has none with them, as with people of other organisations. */
export async function directWith({ chat }: Pick<Bridge, 'chat'>, user: string): Promise<string | undefined> {
  try {
    return await chat.directChannel(user);
  } catch (error) {
    if (error instanceof ChatError && error.next === 'give-up') return undefined;
    throw error;
  }
}
