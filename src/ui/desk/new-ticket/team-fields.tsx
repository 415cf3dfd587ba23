import { useTranslations } from 'use-intl';

import { nameOf, usePerson } from '../api/people.ts';
import { useChoices } from '../api/query.ts';
import type { Queue } from '../api/types.ts';
import { Avatar } from '../kit/avatar.tsx';
import { Switch } from '../../kit/field.tsx';
import { PersonPicker } from '../kit/person-picker.tsx';
import { Picker } from '../../kit/picker.tsx';
import { isOfTeam } from '../ticket/readers.ts';
import type { NewTicketDraft } from './form.ts';
import { Labelled, opener } from './question.tsx';

interface Props {
  draft: NewTicketDraft;
  errors: Record<string, string>;
  onChange: (part: Partial<NewTicketDraft>) => void;
}

/** The fields that a queue's team can set on a new ticket: assignee and tags. */
export function TeamFields({
  draft: { assigneeId, tagIds },
  errors,
  queue,
  me,
  onChange,
}: Props & { queue: Queue | undefined; me: string | undefined }) {
  const t = useTranslations('newTicket');
  const assignee = usePerson(assigneeId || null);
  const tags = useChoices('listTags');
  const chosen = tags.filter(({ id }) => tagIds.includes(id));
  return (
    <>
      <Labelled label={t('assignee')} error={errors['assigneeId']}>
        <PersonPicker
          label={t('assignee')}
          only="team"
          selected={assigneeId ? [assigneeId] : []}
          first={me ? [me] : []}
          none={t('byQueue')}
          {...(queue && {
            apart: {
              isFirst: (person) => isOfTeam(queue, person),
              first: t('teamOf', { queue: queue.name }),
              others: t('others'),
            },
          })}
          onChange={([id]) => onChange({ assigneeId: id ?? '' })}
        >
          {opener(
            t('assignee'),
            assigneeId ? nameOf(assignee) : t('byQueue'),
            !assigneeId,
            assignee && <Avatar person={assignee} />,
          )}
        </PersonPicker>
      </Labelled>
      {tags.length > 0 && (
        <Labelled label={t('tags')} error={errors['tags']}>
          <Picker
            label={t('tags')}
            multiple
            options={tags.map(({ id, name }) => ({ id, text: name }))}
            selected={tagIds}
            onChange={(ids) => onChange({ tagIds: ids })}
          >
            {opener(t('tags'), chosen.map(({ name }) => name).join(', ') || t('noTags'), chosen.length === 0)}
          </Picker>
        </Labelled>
      )}
    </>
  );
}

/** Whether not everyone may read it. */
export function PrivateSwitch({
  isPrivate,
  isOwn,
  onChange,
}: {
  isPrivate: boolean;
  isOwn: boolean;
  onChange: Props['onChange'];
}) {
  const t = useTranslations('newTicket');
  return (
    <Switch
      label={t('private')}
      help={t(isOwn ? 'privateHelpOwn' : 'privateHelp')}
      isSelected={isPrivate}
      onChange={(isOn) => onChange({ isPrivate: isOn })}
    />
  );
}

/** The switch that notifies the requester in Slack, or the reason why that is not possible. */
export function TellSwitch({
  draft: { requesterId, isTold },
  queue,
  onChange,
}: Omit<Props, 'errors'> & { queue: Queue | undefined }) {
  const t = useTranslations('newTicket');
  const requester = usePerson(requesterId);
  if (!requester) return null;
  const name = nameOf(requester);
  const canTell = canBeTold(requester, queue);
  const help = canTell
    ? t('tellHelp')
    : queue?.settings?.silentMode
      ? t('tellSilent', { queue: queue.name })
      : t('tellNot', { name });
  return (
    <Switch
      label={t('tell', { name })}
      help={help}
      isSelected={isTold && canTell}
      isDisabled={!canTell}
      onChange={(isOn) => onChange({ isTold: isOn })}
    />
  );
}

/** Returns whether a requester has a chat account and the queue posts in chat. */
export const canBeTold = (
  { chatUsers }: { chatUsers: readonly unknown[] },
  queue: Pick<Queue, 'settings'> | undefined,
): boolean => chatUsers.length > 0 && !queue?.settings?.silentMode;
