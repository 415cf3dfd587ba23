import type { Bridge } from '../../bridge.ts';
import { ChatError } from '../../slack/errors.ts';
import { parseRef } from '../../tickets/ticket-ref-rules.ts';
import { explainMessage } from '../delivery-status/index.ts';
import { refuse, type Work } from './asked.ts';

/** `/ticket why <link>`: explains the bridge's decisions about a message that the user can see (B55). */
export const why: Work = {
  changes: false,
  async run(bridge, { words, team, channel, person }) {
    const ref = parseRef(words);
    if (ref?.kind !== 'message')
      return refuse(
        `That is no link to a message. In the message’s menu choose *Copy link*, and paste it behind \`${bridge.command} why\`.`,
      );
    if (ref.channel !== channel && !(await maySee(bridge, ref.channel, person.chat_user_id)))
      return refuse('That message is not yours to see, or I cannot see it myself.');
    return { text: await explainMessage(bridge, { team, channel: ref.channel, ts: ref.ts }, person) };
  },
};

/** Messages of a public channel are visible to everyone, others to its members. */
async function maySee({ chat }: Bridge, channel: string, user: string): Promise<boolean> {
  try {
    const { isPrivate } = await chat.channel(channel);
    const isDirect = await chat.isDirect(channel);
    return (!isPrivate && !isDirect) || (await chat.members(channel)).includes(user);
  } catch (error) {
    if (error instanceof ChatError && error.next === 'give-up') return false;
    throw error;
  }
}
