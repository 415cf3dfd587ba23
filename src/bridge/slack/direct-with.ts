import type { Bridge } from '../bridge.ts';
import { ChatError } from './errors.ts';
import { WORKED_ELSEWHERE } from './organisation-client.ts';

/** The direct conversation with somebody; undefined where chat has none with them, as with people of other organisations. */
export async function directWith({ chat }: Pick<Bridge, 'chat'>, user: string): Promise<string | undefined> {
  try {
    return await chat.directChannel(user);
  } catch (error) {
    if (error instanceof ChatError && error.next === 'give-up') return undefined;
    throw error;
  }
}

/**
 * Whether somebody is spoken with by the bridge of another workspace of the same organisation, where they have the same
 * direct conversation: that one tells them.
 */
export async function isSpokenWithElsewhere({ chat }: Pick<Bridge, 'chat'>, user: string): Promise<boolean> {
  try {
    await chat.directChannel(user);
    return false;
  } catch (error) {
    if (error instanceof ChatError && error.next === 'give-up') return error.code === WORKED_ELSEWHERE;
    throw error;
  }
}
