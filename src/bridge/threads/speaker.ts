import type { Bridge } from '../bridge.ts';
import type { ChatMessage } from '../slack/chat-event.ts';
import { personOf } from '../people/people.ts';
import { readSetting } from '../settings.ts';
import { ALLOWS_BOTS, AllowsBots } from '../people/people-settings.ts';
import { escapeMarkdown } from '../../platform/text/markdown.ts';

/** The author of a message on a ticket. */
interface Speaker {
  /** Null if the service has no user for them. */
  user_id: string | null;
  name: string;
}

/** Returns who wrote a message; an app without an account is known by its display name. */
export async function speakerOf(
  bridge: Bridge,
  { team, user, botName }: Pick<ChatMessage, 'team' | 'user' | 'botName'>,
): Promise<Speaker> {
  return user === undefined ? { user_id: null, name: botName ?? 'An app' } : personOf(bridge, team, user);
}

/** Returns the text under the author's own user, or prefixed with their name under the bridge's (B10). */
export function signed({ user_id, name }: Speaker, markdown: string): string {
  return user_id === null ? `**${escapeMarkdown(name)}:** ${markdown}` : markdown;
}

/** Returns whether another app's message is forwarded here (B17); our own never reach this. */
export async function takesPart(
  { database }: Pick<Bridge, 'database'>,
  message: Pick<ChatMessage, 'botId' | 'user'>,
): Promise<boolean> {
  if (!isFromBot(message)) return true;
  return (await readSetting(database.db, ALLOWS_BOTS, AllowsBots)) ?? false;
}

export function isFromBot({ botId, user }: Pick<ChatMessage, 'botId' | 'user'>): boolean {
  return botId !== undefined || user === undefined;
}
