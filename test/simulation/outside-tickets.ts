import { classed } from '../drills/harness/both-sides.ts';
import { userIdOf } from '../harness/user-id.ts';
import type { Chance } from './chance.ts';
import { type Trouble, troubleOf } from './promises.ts';
import type { World } from './world.ts';

/** The requester's messages with the bot. */
const DIRECT = '@deskbridge';
/** Who asked by mail, and who answers. */
const REQUESTER = 'ben';
const TEAM = 'mira';
const MOST_ANSWERS = 4;
const EDITS_ONE = 0.7;
const REFUSES_ONE = 0.4;
/** How Slack says that it will never take a post. */
const REFUSAL = { method: 'chat.postMessage', kind: 'error', error: 'restricted_action', times: null };

/**
 * A ticket that did not begin in chat is answered several times, one of the answers is edited afterwards, and what the
 * requester must see of that in a direct conversation (B1). Slack may refuse one of them: the others follow (B49).
 * @param number of the act: no other one has these words.
 * @param meanwhile what happens between the ticket and its answers.
 * @returns what is not as it must be, once nothing is on its way.
 */
export async function answerOutsideTicket(
  { chat, client: service }: Pick<World, 'chat' | 'client'>,
  chance: Chance,
  number: number,
  meanwhile: () => void,
): Promise<() => Promise<Trouble[]>> {
  const [requesterId, authorId] = [await userIdOf(service, REQUESTER), await userIdOf(service, TEAM)];
  const { id: ticketId } = await service.createTicket({ body: { title: `By mail ${number}`, requesterId } });
  meanwhile();
  const begin = `by mail ${number},`;
  const answers: { id: string; text: string; isRefused: boolean }[] = [];
  for (let left = 1 + chance.below(MOST_ANSWERS); left > 0; left--) {
    const text = `${begin} answer ${answers.length + 1}`;
    const isRefused = answers.every((one) => !one.isRefused) && chance.happens(REFUSES_ONE);
    if (isRefused) await chat.post('faults', { faults: [{ ...REFUSAL, text }] });
    const { id } = await service.createTicketMessage({ body: { ticketId, authorId, content: text } });
    answers.push({ id, text, isRefused });
  }
  const edited = chance.oneOf(answers);
  if (chance.happens(EDITS_ONE)) {
    edited.text += ', put better';
    await service.updateTicketMessage({ params: { id: edited.id }, body: { content: edited.text } });
  }
  return async () => {
    const seen = (await chat.messages(DIRECT, REQUESTER)).map(({ text }) => text);
    const shown = seen.filter((text) => text.startsWith(begin));
    // Once Slack has no more faults it takes what it would have refused before.
    const written = answers
      .filter(({ text, isRefused }) => !isRefused || shown.includes(text))
      .map(({ text }) => text);
    if (JSON.stringify(shown) === JSON.stringify(written)) return [];
    const { kind, what } = classed(`messages of ${REQUESTER}`, shown.map(byTeam), written.map(byTeam));
    return [troubleOf(kind, what)];
  };
}

const byTeam = (text: string) => ({ by: TEAM, text, files: [], held: [] });
