import { useDeferredValue, useState } from 'react';
import { useTranslations } from 'use-intl';

import { Refusal } from '../../api/call.ts';
import { type ChatMember, useChatMembers } from '../../api/chat-lists.ts';
import { nameOf } from '../../api/people.ts';
import { useOperation } from '../../api/query.ts';
import type { Person } from '../../api/types.ts';
import { Button } from '../../../kit/button.tsx';
import { TextField } from '../../../kit/field.tsx';
import { Choice, SavedSign } from '../parts/fields.tsx';
import { Fields } from '../parts/page.tsx';
import { useSaved } from '../../kit/use-saved.ts';
import styles from './people.module.css';
import { findByAccount, identifyPerson, useChatTeams } from './records.ts';

const MEMBER = /^[UW][A-Z0-9]+$/;
const TEAM = /^[TE][A-Z0-9]+$/;

/** Links a chat account: a member of chat by name, or by the ID where chat does not list its members. */
export function LinkAccount({ person }: { person: Person }) {
  const t = useTranslations('access.people');
  const saved = useSaved();
  const [search, setSearch] = useState('');
  const searched = useDeferredValue(search.trim());
  const { members, isPending, isPlaceholderData } = useChatMembers(searched);
  const [chosen, setChosen] = useState<ChatMember>();
  const [isTyping, setTyping] = useState(false);
  const { data } = useOperation('listUsers', {
    query: { sortBy: 'firstName', sortDirection: 'asc', limit: 200 },
  });
  const teams = useChatTeams(data?.items ?? []);
  const [member, setMember] = useState('');
  const [chosenTeam, setTeam] = useState<string>();
  const team = chosenTeam ?? teams[0]?.id ?? '';
  const listed = isTyping ? undefined : members;
  const account = listed
    ? { chatUserId: chosen?.id ?? '', chatTeamId: chosen?.teamId ?? '' }
    : { chatUserId: member.trim().toUpperCase(), chatTeamId: team.trim().toUpperCase() };
  const isReady = MEMBER.test(account.chatUserId) && TEAM.test(account.chatTeamId);
  const link = async () => {
    const isDone = await saved.save(async () => {
      const other = await findByAccount(account, person.id);
      if (other) throw new Refusal(409, t('accountTaken', { name: nameOf(other) }));
      await identifyPerson(
        person,
        { account },
        { cannot: t('cannotChange'), other: (name) => t('matchedOther', { name }) },
      );
    });
    if (!isDone) return;
    setMember('');
    setChosen(undefined);
  };
  if (isPending && !isTyping) return null;
  // Members of two workspaces may have one id.
  const keyOf = ({ id, teamId }: ChatMember) => `${teamId} ${id}`;
  const offered = new Map(
    [...(chosen && !search ? [chosen] : []), ...(listed ?? [])].map((each) => [keyOf(each), each]),
  );
  const teamName = (id: string) =>
    teams.length > 1 ? teams.find((each) => each.id === id)?.text : undefined;
  return (
    <form
      className={styles['choices']}
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) void link();
      }}
    >
      {listed ? (
        <>
          <Choice
            label={t('member')}
            value={chosen ? keyOf(chosen) : ''}
            placeholder={chosen?.name ?? t('chooseMember')}
            options={[...offered].map(([id, { name, handle, teamId }]) => ({
              id,
              text: name,
              detail: [`@${handle}`, teamName(teamId)].filter(Boolean).join(' · '),
            }))}
            onSearch={setSearch}
            isLoading={isPlaceholderData || searched !== search.trim()}
            onChange={(id) => setChosen(offered.get(id))}
          />
          <p className={styles['muted']}>
            {t('notListed')}{' '}
            <Button size="small" kind="quiet" onPress={() => setTyping(true)}>
              {t('enterId')}
            </Button>
          </p>
        </>
      ) : (
        <Fields>
          <TextField
            label={t('memberId')}
            help={t('memberIdHelp')}
            placeholder="U0123456789"
            // The browser would not send the form again while the field has an error.
            validationBehavior="aria"
            value={member}
            onChange={setMember}
            maxLength={40}
            autoComplete="off"
            error={saved.error}
          />
          {teams.length > 0 ? (
            <Choice label={t('team')} value={team} options={teams} onChange={setTeam} />
          ) : (
            <TextField
              label={t('team')}
              placeholder="T0123456789"
              value={team}
              onChange={setTeam}
              maxLength={40}
              autoComplete="off"
            />
          )}
        </Fields>
      )}
      <span className={styles['row']}>
        <Button type="submit" isDisabled={!isReady} isPending={saved.isSaving}>
          {t('link')}
        </Button>
        <span className={styles['muted']}>{t('linkHelp')}</span>
        {listed && <SavedSign of={saved} />}
      </span>
    </form>
  );
}
