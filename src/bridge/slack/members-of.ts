import type { Bridge } from '../bridge.ts';
import { ChatError } from './errors.ts';

/** Returns the members of a channel; empty if Slack does not say. */
export async function membersOf({ chat }: Pick<Bridge, 'chat'>, channel: string): Promise<readonly string[]> {
  try {
    return await chat.members(channel);
  } catch (error) {
    if (error instanceof ChatError && error.next === 'give-up') return [];
    throw error;
  }
}
