import type { Bridge } from '../bridge.ts';
import { ChatError } from './errors.ts';
import { WORKED_ELSEWHERE } from './organisation-client.ts';

/** Returns the direct message channel with a user; undefined if there is none, as with users of other organisations. */
export async function directWith({ chat }: Pick<Bridge, 'chat'>, user: string): Promise<string | undefined> {
  try {
    return await chat.directChannel(user);
  } catch (error) {
    if (error instanceof ChatError && error.next === 'give-up') return undefined;
    throw error;
  }
}

/**
 * Returns whether the bridge of another workspace of the same organisation has this direct message channel: then that
 * one notifies the user.
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
