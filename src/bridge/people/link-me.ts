import { createHash } from 'node:crypto';

import type { Bridge } from '../bridge.ts';
import type { Answer } from '../slack/respond.ts';
import { codeFrom, lineWithCode } from './link-code-rules.ts';
import { CODE_LIVES_MS, storeCode } from './link-codes.ts';
import type { Person } from './people.ts';
import { userName } from './user-name.ts';
import { usersOf } from './users.ts';
import { escapeChat } from '../text/to-chat.ts';

/**
 * Tells somebody how to speak as another user of the service: by a code that is shown to them alone, which they write
 * at the desk as that user (docs/admin.md). Each time another one; the one before is void.
 */
export async function linkMe(bridge: Bridge, person: Person): Promise<Answer> {
  const code = codeFrom(createHash('sha256').update(bridge.newSecret()).digest());
  await storeCode(bridge, { team: person.team_id, user: person.chat_user_id }, code);
  const now =
    person.user_id === null ? 'You have no user at the help desk yet.' : await spokenAs(bridge, person);
  return {
    text: [
      now,
      `To speak as another user, sign in at the help desk as that user and write an *internal note* on any ticket, with nothing in it but this line, within ${CODE_LIVES_MS / 60_000} minutes:`,
      `\`\`\`${lineWithCode(code)}\`\`\``,
      ':warning: It is yours alone. Never write such a line for somebody else: from then on they would speak as you.',
    ].join('\n'),
  };
}

async function spokenAs(bridge: Bridge, { user_id }: Person): Promise<string> {
  const [user] = await usersOf(bridge, user_id === null ? [] : [user_id]);
  const name = (user && userName(user)) ?? user_id ?? '';
  return `On tickets you speak as *${escapeChat(name)}*.`;
}
