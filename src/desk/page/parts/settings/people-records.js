import { api, call, path, Refusal } from '../../api.js';
import { ifAble } from '../../settings.js';
import { fullName } from '../../words.js';

const CHAT_ID = /^[UW][A-Z0-9]{6,}$/;

/**
 * Finds people by words of their name or e-mail, or by the id of a chat account. The service is asked for one
 * word, since it matches each name by itself; the page matches the others, and what the service does not
 * filter.
 */
export async function readPeople(search, limit) {
  const words = search.toLowerCase().split(/\s+/).filter(Boolean);
  const [longest] = words.toSorted((a, b) => b.length - a.length);
  const by = CHAT_ID.test(search) ? { chatUserId: search } : { search: longest };
  const { items, totalCount } = await api.users({ ...by, sortBy: 'firstName', sortDirection: 'asc', limit });
  const searchText = (person) =>
    [
      fullName(person),
      person.email,
      ...person.chatUsers.flatMap(({ chatUserId, chatRealName, chatDisplayName }) => [
        chatUserId,
        chatRealName,
        chatDisplayName,
      ]),
    ]
      .join(' ')
      .toLowerCase();
  return {
    items: items.filter((person) => words.every((word) => searchText(person).includes(word))),
    totalCount,
  };
}

/** @throws Refusal if another user has this e-mail */
export async function findByEmail(email, but) {
  const { items } = await api.users({ email, limit: 20 });
  const other = items.find((each) => each.id !== but && each.email?.toLowerCase() === email.toLowerCase());
  if (other)
    throw new Refusal(
      409,
      `${fullName(other)} has this e-mail already. Search for them and change that record.`,
    );
}

/** @throws Refusal if another user has this chat account */
async function findByAccount({ chatUserId, chatTeamId }, but) {
  const { items } = await api.users({ chatUserId, limit: 20 });
  const has = ({ chatUsers }) =>
    chatUsers.some((account) => account.chatUserId === chatUserId && account.chatTeamId === chatTeamId);
  const other = items.find((each) => each.id !== but && has(each));
  if (other)
    throw new Refusal(
      409,
      `This account is ${fullName(other)}’s. An administrator can move it with “deskbridge people link”.`,
    );
}

const accountsOf = ({ chatUsers }) =>
  chatUsers.map(({ chatUserId, chatTeamId }) => ({ chatUserId, chatTeamId }));
const shownOf = (person) => {
  const { firstName, lastName, email, image } = person;
  return JSON.stringify([firstName, lastName, email, image, accountsOf(person)]);
};

/** Whether the service can identify the record, by an e-mail or a chat account. */
export const isNameable = ({ email, chatUsers }) => Boolean(email) || chatUsers.length > 0;

/**
 * Changes a person's record: names, picture, e-mail, or `account`, one more chat account. The service
 * identifies people by e-mail or chat account and would create a person for an unknown one, so the page first
 * checks what exists. Resolves to the updated record. @throws Refusal
 */
export async function savePerson(person, { account, ...part }) {
  const { id, firstName, lastName, email } = person;
  const [now] = (await api.users({ set: id, limit: 1 })).items;
  if (!now || shownOf(now) !== shownOf(person))
    throw new Refusal(
      409,
      'Another user changed this record. Their changes are shown now; check them, then save again.',
    );
  if (part.email && part.email !== email) await findByEmail(part.email, id);
  if (account) await findByAccount(account, id);
  const accounts = [...accountsOf(person), ...(account ? [account] : [])];
  const body = { firstName, lastName, ...(email && { email }), ...part, chatUsers: accounts };
  const saved = await ifAble('people', 'change people', () => call('POST', path('users'), body));
  if (saved.id !== id)
    throw new Refusal(
      409,
      `The service matched another person, ${fullName(saved)}. Search for both and correct them.`,
    );
  return saved;
}

/** The chat workspace of most of these people. */
export function usualTeam(people) {
  const teams = people.flatMap(({ chatUsers }) => chatUsers.flatMap(({ chatTeamId }) => chatTeamId ?? []));
  const most = [...Map.groupBy(teams, (team) => team)].toSorted(([, a], [, b]) => b.length - a.length)[0];
  return most?.[0];
}
