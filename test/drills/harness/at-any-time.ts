import type { SeenMessage } from '../../harness/chat.ts';
import { type Post, postsAmong, repeatedAmong } from '../../harness/history-sides.ts';
import { AGENT, type Difference, type Line, nameInChat } from './both-sides.ts';
import type { Secrets } from './secrets.ts';

/** What is known of a conversation, as far as it decides what may stand in chat at any moment. */
export interface Told {
  root: string;
  lines: readonly Line[];
  notes: readonly Line[];
  isMoving: boolean;
}

/**
 * What breaks a promise that holds at any moment, whatever is lost, late or still on its way: nothing stands where it must
 * not, nothing stands twice, the agent's words are in order and bear the agent's name.
 * @param places channels with all of their messages, by their names.
 */
export function checkNow(
  places: ReadonlyMap<string, readonly SeenMessage[]>,
  told: readonly Told[],
  secrets: Secrets,
): Difference[] {
  return [...places].flatMap(([channel, messages]) => [
    ...checkSecrets(channel, messages, secrets),
    ...threadsOf(messages).flatMap(([root, thread]) => checkThread(channel, root, thread, told)),
  ]);
}

function checkSecrets(channel: string, messages: readonly SeenMessage[], secrets: Secrets): Difference[] {
  return messages
    .filter(({ bot_id }) => bot_id !== undefined)
    .flatMap((shown) =>
      secrets.in(channel, JSON.stringify(shown)).map((words): Difference => ({
        kind: 'leaked',
        what: `“${words}” stands in ${channel} at ${shown.ts}`,
      })),
    );
}

function threadsOf(messages: readonly SeenMessage[]): [root: string, thread: SeenMessage[]][] {
  const lasting = messages.filter(({ ephemeralFor }) => ephemeralFor === undefined);
  const threads = Map.groupBy(lasting, ({ ts, thread_ts }) => thread_ts ?? ts);
  return [...threads].map(([root, thread]) => [root, thread.toSorted((a, b) => Number(a.ts) - Number(b.ts))]);
}

function checkThread(
  channel: string,
  root: string,
  thread: readonly SeenMessage[],
  told: readonly Told[],
): Difference[] {
  const posts = postsAmong(thread);
  const where = `in ${channel} ${root}`;
  return [
    ...repeatedAmong(posts).map(({ chatMessage, ts }): Difference => ({
      kind: 'doubled',
      what: `“${chatMessage.text}” stands again ${where} at ${ts}`,
    })),
    ...checkAuthors(posts, told, where),
    // Elsewhere, what is shown anew stands behind what is younger.
    ...told
      .filter((one) => one.root === root && !one.isMoving)
      .flatMap((one) => checkOrder(posts, one.lines, where)),
  ];
}

function checkAuthors(posts: readonly Post[], told: readonly Told[], where: string): Difference[] {
  const agents = new Set(
    told.flatMap(({ lines, notes }) =>
      [...lines, ...notes].flatMap(({ by, id }) => (by === AGENT ? id : [])),
    ),
  );
  return posts
    .filter(({ messageId, kind, chatMessage: { username } }) => {
      return kind === 'text' && agents.has(messageId) && nameInChat(username) !== AGENT;
    })
    .map(({ chatMessage: { text, username } }) => ({
      kind: 'different',
      what: `“${text}” bears the name ${username ?? 'of the bot'} ${where}`,
    }));
}

function checkOrder(posts: readonly Post[], lines: readonly Line[], where: string): Difference[] {
  const place = new Map(lines.map(({ id }, at) => [id, at]));
  let before = -1;
  return posts.flatMap(({ messageId, kind, chatMessage }): Difference[] => {
    const at = place.get(messageId);
    if (kind !== 'text' || at === undefined) return [];
    if (at >= before) {
      before = at;
      return [];
    }
    return [
      { kind: 'out of order', what: `“${chatMessage.text}” stands ${where} behind what was said after it` },
    ];
  });
}
