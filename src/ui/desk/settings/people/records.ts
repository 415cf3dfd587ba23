import { useQuery } from '@tanstack/react-query';

import { call, Refusal } from '../../api/call.ts';
import { nameOf, rememberPeople } from '../../api/people.ts';
import { operationKey, queryClient } from '../../api/query.ts';
import { useRows } from '../../api/rows.ts';
import type { BodyOf, Person } from '../../api/types.ts';
import { useWorkspaces } from '../parts/workspaces.tsx';
import { ifAble, refresh } from '../parts/write.ts';

/** Rows of one page of people. */
const PAGE = 200;
const CHAT_ID = /^[UW][A-Z0-9]{6,}$/;

export const isUnlinked = ({ isBot, chatUsers }: Person) => !isBot && chatUsers.length === 0;

/** Whether a service has roles of people, and this record is of one who can sign in. */
export const hasAccess = ({ role, isBot }: Person) => Boolean(role) && !isBot;

/** Whether the person gets tickets: only their absence matters. */
export const worksTickets = (person: Person) => hasAccess(person) && person.role !== 'requester';

/** Whether the service can identify the record, by an e-mail or a chat account. */
export const isIdentifiable = ({ email, chatUsers }: Person) => Boolean(email) || chatUsers.length > 0;

/**
 * People by words of their name or e-mail, or by the id of a chat account. The service is asked for one word, since it
 * matches each name by itself; the page matches the others.
 */
export function usePeopleList(search: string) {
  const words = search.toLocaleLowerCase().split(/\s+/).filter(Boolean);
  const [longest] = words.toSorted((one, other) => other.length - one.length);
  const by = CHAT_ID.test(search.trim()) ? { chatUserId: search.trim() } : { search: longest };
  const { read, more } = useRows(
    'listUsers',
    { ...by, sortBy: 'firstName', sortDirection: 'asc' },
    { page: PAGE },
  );
  const textOf = (person: Person) =>
    [
      nameOf(person),
      person.email,
      ...person.chatUsers.flatMap(({ chatUserId, chatRealName, chatDisplayName }) => [
        chatUserId,
        chatRealName,
        chatDisplayName,
      ]),
    ]
      .join(' ')
      .toLocaleLowerCase();
  const items = (read.data?.items ?? []).filter((person) =>
    words.every((word) => textOf(person).includes(word)),
  );
  return { read, more, items, total: read.data?.totalCount ?? 0 };
}

const personInput = (id: string) => ({ query: { set: id, limit: 1 } });

/** One person by id; null if there is none. Unlike the people of the tickets, read again when it is shown. */
export const usePersonRecord = (id: string) =>
  useQuery({
    queryKey: operationKey('listUsers', personInput(id)),
    queryFn: async ({ signal }) => await call('listUsers', personInput(id), { signal }),
    select: ({ items }) => items[0] ?? null,
    staleTime: 5_000,
  });

/** Shows a written record at once, and reads the lists again. */
async function show(person: Person): Promise<void> {
  rememberPeople([person]);
  queryClient.setQueryData(
    operationKey('listUsers', personInput(person.id)),
    (known: object | undefined) => ({
      ...known,
      items: [person],
      totalCount: 1,
    }),
  );
  await refresh(['listUsers']);
}

/** Writes only the named fields, so that changes of others stay. Throws Refusal. */
export async function updatePerson(
  { id }: Person,
  body: NonNullable<BodyOf<'updateUser'>>,
  cannot: string,
): Promise<void> {
  await show(await ifAble('updateUser', cannot, () => call('updateUser', { params: { id }, body })));
}

/** Another person with this e-mail. */
export async function findByEmail(email: string, but?: string): Promise<Person | undefined> {
  const { items } = await call('listUsers', { query: { search: email, limit: 20 } });
  return items.find(
    (person) => person.id !== but && person.email?.toLocaleLowerCase() === email.toLocaleLowerCase(),
  );
}

export interface Account {
  chatUserId: string;
  chatTeamId: string;
}

/** Another person with this chat account. */
export async function findByAccount(account: Account, but: string): Promise<Person | undefined> {
  const { items } = await call('listUsers', { query: { chatUserId: account.chatUserId, limit: 20 } });
  return items.find(
    (person) =>
      person.id !== but &&
      person.chatUsers.some(
        ({ chatUserId, chatTeamId }) =>
          chatUserId === account.chatUserId && chatTeamId === account.chatTeamId,
      ),
  );
}

/**
 * Writes the picture, or one more chat account. The service identifies people by e-mail or chat account, and would
 * create a person for an unknown one: all accounts are sent, as they are now. Throws Refusal.
 */
export async function identifyPerson(
  { id }: Person,
  part: { image?: string | null; account?: Account },
  texts: { cannot: string; other: (name: string) => string },
): Promise<void> {
  const { items } = await call('listUsers', personInput(id));
  const now = items[0];
  if (!now) throw new Refusal(404, texts.cannot);
  const { firstName, lastName, email, chatUsers } = now;
  const { account, ...image } = part;
  const body = {
    firstName: firstName ?? '',
    lastName,
    ...(email && { email }),
    ...image,
    chatUsers: [
      ...chatUsers.map(({ chatUserId, chatTeamId }) => ({ chatUserId, chatTeamId })),
      ...(account ? [account] : []),
    ],
  };
  const saved = await ifAble('createUser', texts.cannot, () => call('createUser', { body }));
  await show(saved);
  if (saved.id !== id) throw new Refusal(409, texts.other(nameOf(saved)));
}

/** The account's name in chat; undefined if unknown. */
export const accountName = ({
  chatDisplayName,
  chatRealName,
}: Pick<Person['chatUsers'][number], 'chatDisplayName' | 'chatRealName'>): string | undefined =>
  chatDisplayName || chatRealName || undefined;

/**
 * The Slack workspaces of linked channels and of these people, the one of most people first; by id, where it has no
 * name.
 */
export function useChatTeams(people: readonly Person[]): { id: string; text: string }[] {
  const workspaces = useWorkspaces();
  const named = workspaces.flatMap(({ chatTriageChannels }) =>
    chatTriageChannels.flatMap(({ contextTeamId, app }) => {
      const id = app?.teamId ?? contextTeamId;
      return id ? [[id, app?.teamName] as const] : [];
    }),
  );
  const ofPeople = people.flatMap(({ chatUsers }) => chatUsers.flatMap(({ chatTeamId }) => chatTeamId ?? []));
  const ids = [...Map.groupBy([...ofPeople, ...named.map(([id]) => id)], (id) => id)]
    .toSorted(([, one], [, other]) => other.length - one.length)
    .map(([id]) => id);
  return ids.map((id) => ({ id, text: named.find(([known, name]) => known === id && name)?.[1] ?? id }));
}
