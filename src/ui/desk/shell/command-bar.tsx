import { useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useEffect, useRef, useState } from 'react';
import { Autocomplete } from 'react-aria-components/Autocomplete';
import { Dialog } from 'react-aria-components/Dialog';
import { Input } from 'react-aria-components/Input';
import { Header, ListBox, ListBoxItem, ListBoxSection } from 'react-aria-components/ListBox';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { SearchField } from 'react-aria-components/SearchField';
import { useTranslations } from 'use-intl';

import { useOperation } from '../api/query.ts';
import { type Command, useAllCommands } from '../kit/commands.ts';
import { useFirstChoice } from '../kit/first-choice.ts';
import { Keys } from '../kit/keys.tsx';
import styles from './command-bar.module.css';

const REFERENCE = /^[a-z][a-z0-9]{1,9}-\d+$/i;

/** Everything that can be done here, and every ticket: type, choose, Enter. */
export function CommandBar({ onClose }: { onClose: () => void }) {
  const t = useTranslations('shell');
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const words = useDeferredValue(text.trim());
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  // As in pickers: a list that scrolls can be reached by itself as well.
  useEffect(() => list.current?.setAttribute('tabindex', '0'), []);
  const all = useAllCommands();
  const { data, isPending, isPlaceholderData } = useOperation(
    'listTickets',
    { query: { search: words, limit: 6 } },
    { enabled: words.length > 1, keep: true },
  );
  const wanted = words.toLocaleLowerCase().split(/\s+/);
  const fits = ({ label, group }: Command) =>
    wanted.every((word) => `${group} ${label}`.toLocaleLowerCase().includes(word));
  const commands = all.filter((command) => !command.isHidden && fits(command));
  const tickets = words.length > 1 ? (data?.items ?? []) : [];
  const toTicket = (code: string) => () =>
    void navigate({ to: '/tickets/$code', params: { code }, search: {} });
  const found: (Command & { detail?: string })[] = [
    ...(REFERENCE.test(words)
      ? [
          {
            id: 'reference',
            group: t('tickets'),
            label: t('openReference', { reference: words.toUpperCase() }),
            run: toTicket(words.toUpperCase()),
          },
        ]
      : []),
    ...commands,
    ...tickets.map(({ id, code, title }) => ({
      id,
      group: t('tickets'),
      label: title ?? code,
      detail: code,
      run: toTicket(code),
    })),
    ...(words
      ? [
          {
            id: 'search',
            group: t('tickets'),
            label: t('searchFor', { words }),
            run: () =>
              void navigate({ to: '/views/$view', params: { view: 'all' }, search: { search: words } }),
          },
        ]
      : []),
  ];
  const run = (id: string | number) => {
    onClose();
    // After the focus is back where it was: a command may move it.
    requestAnimationFrame(() => found.find((command) => command.id === id)?.run());
  };
  // What stands first without the tickets need not wait for them.
  const isSearching = words.length > 1 && (isPending || isPlaceholderData);
  const waitsForTickets = isSearching && !REFERENCE.test(words) && commands.length === 0;
  const onKey = useFirstChoice(
    { field, list },
    {
      text,
      isLoading: words !== text.trim() || waitsForTickets,
      choose: () => found[0] && run(found[0].id),
    },
  );
  return (
    <ModalOverlay
      isOpen
      isDismissable
      onOpenChange={(isOpen) => !isOpen && onClose()}
      className={styles['overlay'] ?? ''}
    >
      <Modal className={styles['bar'] ?? ''}>
        <Dialog aria-label={t('commandBar')} data-modal="" className={styles['dialog'] ?? ''}>
          <Autocomplete inputValue={text} onInputChange={setText}>
            <SearchField aria-label={t('commandBar')} autoFocus>
              <Input
                ref={field}
                className={styles['input'] ?? ''}
                placeholder={t('commandHint')}
                onKeyDownCapture={onKey}
              />
            </SearchField>
            <ListBox ref={list} aria-label={t('commandBar')} className={styles['list'] ?? ''} onAction={run}>
              {[...Map.groupBy(found, ({ group }) => group)].map(([group, items]) => (
                <ListBoxSection key={group} id={group}>
                  <Header className={styles['group'] ?? ''}>{group}</Header>
                  {items.map(({ id, label, keys, detail }) => (
                    <ListBoxItem key={id} id={id} textValue={label} className={styles['item'] ?? ''}>
                      <span className={styles['label']}>{label}</span>
                      {detail && <span className={styles['detail']}>{detail}</span>}
                      {keys && <Keys of={keys} />}
                    </ListBoxItem>
                  ))}
                </ListBoxSection>
              ))}
            </ListBox>
          </Autocomplete>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}
