import type { Chance } from './chance.ts';
import { type Trouble, troubleOf } from './promises.ts';
import type { World } from './world.ts';

/** Who asked by mail, and who answers. */
const BOT = '@deskbridge';
const REQUESTER = 'ben';
const TEAM = 'mira';
const MOST_ANSWERS = 4;
const EDITS_ONE = 0.7;

/**
 * A ticket that did not begin in chat is answered several times, one of the answers is edited afterwards, and what the
 * requester must see of that in a direct conversation (B1).
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
  const userNamed = async (name: string) => {
    const { items } = await service.listUsers({ query: { email: `${name}@acme.example` } });
    return items[0]?.id ?? '';
  };
  const [requesterId, authorId] = [await userNamed(REQUESTER), await userNamed(TEAM)];
  const { id: ticketId } = await service.createTicket({ body: { title: `By mail ${number}`, requesterId } });
  meanwhile();
  const begin = `by mail ${number},`;
  const answers: { id: string; text: string }[] = [];
  for (let left = 1 + chance.below(MOST_ANSWERS); left > 0; left--) {
    const text = `${begin} answer ${answers.length + 1}`;
    const { id } = await service.createTicketMessage({ body: { ticketId, authorId, content: text } });
    answers.push({ id, text });
  }
  const edited = chance.oneOf(answers);
  if (chance.happens(EDITS_ONE)) {
    edited.text += ', put better';
    await service.updateTicketMessage({ params: { id: edited.id }, body: { content: edited.text } });
  }
  return async () => {
    const seen = (await chat.messages(BOT, REQUESTER)).map(({ text }) => text);
    const shown = seen.filter((text) => text.startsWith(begin));
    const written = answers.map(({ text }) => text);
    return differenceOf(shown, written).map((kind) =>
      troubleOf(kind, `${REQUESTER} sees ${JSON.stringify(shown)} of ${JSON.stringify(written)}`),
    );
  };
}

function differenceOf(shown: readonly string[], written: readonly string[]) {
  if (JSON.stringify(shown) === JSON.stringify(written)) return [];
  if (written.some((text) => !shown.includes(text))) return ['lost' as const];
  return shown.length > written.length ? ['doubled' as const] : ['out of order' as const];
}
