import { useNavigate } from '@tanstack/react-router';
import { type ReactNode, useDeferredValue, useEffect, useRef, useState } from 'react';
import { Autocomplete } from 'react-aria-components/Autocomplete';
import { Dialog } from 'react-aria-components/Dialog';
import { Input } from 'react-aria-components/Input';
import { Header, ListBox, ListBoxItem, ListBoxSection } from 'react-aria-components/ListBox';
import { Modal, ModalOverlay } from 'react-aria-components/Modal';
import { SearchField } from 'react-aria-components/SearchField';
import { useTranslations } from 'use-intl';

import { useOperation } from '../api/query.ts';
import { type Command, useAllCommands } from '../kit/commands.ts';
import { useFirstChoice } from '../../kit/first-choice.ts';
import { Keys } from '../../kit/keys.tsx';
import { withTexts } from '../kit/more-texts.tsx';
import { StatusSign } from '../kit/signs.tsx';
import { useSteady } from '../kit/steady.ts';
import { useQueueViews, useSavedViews } from '../list/views.ts';
import { commandBar } from '../messages/command-bar.ts';
import picker from '../../kit/picker.module.css';
import styles from './command-bar.module.css';
import { listed, matchCommands } from './command-order.ts';
import { CommandSign } from './command-signs.tsx';

const REFERENCE = /^[a-z][a-z0-9]{1,9}-\d+$/i;

interface Found extends Command {
  sign: ReactNode;
  /** The reference of a ticket, before its title. */
  code?: string;
}

/** Everything that can be done here, and every ticket: type, choose, Enter. */
export const CommandBar = withTexts({ commandBar }, Bar);

function Bar({ onClose }: { onClose: () => void }) {
  const own = useTranslations('commandBar');
  const t = useTranslations('shell');
  const [text, setText] = useState('');
  const words = useDeferredValue(text.trim());
  const field = useRef<HTMLInputElement>(null);
  const list = useRef<HTMLDivElement>(null);
  // As in pickers: a list that scrolls can be reached by itself as well.
  useEffect(() => list.current?.setAttribute('tabindex', '0'), []);
  const matching = useFound(words);
  const { items: found, handlers } = useSteady({ items: matching.found, name: words });
  const run = (id: string | number) => {
    onClose();
    // After the focus is back where it was: a command may move it.
    requestAnimationFrame(() => found.find((command) => command.id === id)?.run());
  };
  const onKey = useFirstChoice(
    { field, list },
    {
      text,
      isMarkedAtOnce: true,
      isLoading: words !== text.trim() || matching.isFirstUnknown,
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
        <Dialog aria-label={t('commandBar')} data-modal="" className={picker['dialog'] ?? ''}>
          <div
            // One press closes it, whatever was typed.
            onKeyDownCapture={(event) => {
              if (event.key !== 'Escape') return;
              event.preventDefault();
              event.stopPropagation();
              onClose();
            }}
          >
            <Autocomplete inputValue={text} onInputChange={setText}>
              <SearchField aria-label={t('commandBar')} autoFocus>
                <Input
                  ref={field}
                  className={styles['input'] ?? ''}
                  placeholder={own('hint')}
                  onKeyDownCapture={onKey}
                />
              </SearchField>
              <ListBox
                ref={list}
                aria-label={t('commandBar')}
                className={picker['list'] ?? ''}
                onAction={run}
                {...handlers}
              >
                {[...Map.groupBy(found, ({ group }) => group)].map(([group, items]) => (
                  <ListBoxSection key={group} id={group}>
                    <Header className={picker['group'] ?? ''}>{group}</Header>
                    {items.map(({ id, label, keys, sign, code }) => (
                      <ListBoxItem
                        key={id}
                        id={id}
                        textValue={[code, label].filter(Boolean).join(' ')}
                        className={picker['item'] ?? ''}
                      >
                        <span className={picker['sign']}>{sign}</span>
                        {code && <span className={picker['detail']}>{code}</span>}
                        <span className={picker['text']}>{label}</span>
                        {keys && <Keys of={keys} />}
                      </ListBoxItem>
                    ))}
                  </ListBoxSection>
                ))}
              </ListBox>
            </Autocomplete>
          </div>
        </Dialog>
      </Modal>
    </ModalOverlay>
  );
}

/** The commands and the tickets that fit to what is typed, the best first. */
function useFound(words: string): {
  found: readonly Found[];
  /** The order is not known before the tickets are loaded. */
  isFirstUnknown: boolean;
} {
  const t = useTranslations('commandBar');
  const navigate = useNavigate();
  const { strong, weak } = useMatchingCommands(words);
  const tickets = useMatchingTickets(words);
  const searchFor = {
    id: 'search',
    group: t('tickets'),
    label: t('searchFor', { words }),
    run: () => void navigate({ to: '/views/$view', params: { view: 'all' }, search: { search: words } }),
  };
  return {
    found: [
      ...(tickets.named ? [tickets.named] : []),
      ...strong.map(withSign),
      ...tickets.others,
      ...weak.map(withSign),
      ...(words ? [withSign(searchFor)] : []),
    ],
    // What stands first without the tickets need not wait for them.
    isFirstUnknown: tickets.isSearching && !tickets.named && strong.length === 0,
  };
}

const withSign = (command: Command): Found => ({ ...command, sign: <CommandSign id={command.id} /> });

function useMatchingCommands(words: string) {
  const t = useTranslations('shell');
  const ticketTexts = useTranslations('ticket');
  const listTexts = useTranslations('list');
  const navigate = useNavigate();
  // The ticket that is open, or the current row, comes first.
  const groups = [ticketTexts('group'), listTexts('ofTicket'), listTexts('group')];
  const commands = useAllCommands().filter(({ isHidden }) => !isHidden);
  const views = [...useSavedViews(), ...useQueueViews()].map(({ id, name = id }) => ({
    id: `go-view-${id}`,
    group: t('goTo'),
    label: name,
    run: () => void navigate({ to: '/views/$view', params: { view: id }, search: {} }),
  }));
  return matchCommands(listed([...commands, ...views], groups), words);
}

/** The ticket whose reference is typed, found or not, and others that have the words. */
function useMatchingTickets(words: string): {
  named: Found | undefined;
  others: Found[];
  isSearching: boolean;
} {
  const t = useTranslations('commandBar');
  const listTexts = useTranslations('list');
  const navigate = useNavigate();
  const isSearched = words.length > 1;
  const { data, isPending, isPlaceholderData } = useOperation(
    'listTickets',
    { query: { search: words, limit: 6 } },
    { enabled: isSearched, keep: true },
  );
  const tickets = isSearched ? (data?.items ?? []) : [];
  const toTicket = (code: string) => () =>
    void navigate({ to: '/tickets/$code', params: { code }, search: {} });
  const reference = REFERENCE.test(words) ? words.toUpperCase() : undefined;
  const ticket = tickets.find(({ code }) => code === reference);
  return {
    named:
      reference === undefined
        ? undefined
        : {
            id: 'reference',
            group: t('tickets'),
            label: ticket?.title ?? t('openReference', { reference }),
            sign: <StatusSign group={ticket?.status.statusGroup.label} />,
            ...(ticket && { code: reference }),
            run: toTicket(reference),
          },
    others: tickets
      .filter((each) => each !== ticket)
      .map(({ id, code, title, status }) => ({
        id,
        group: t('tickets'),
        label: title ?? listTexts('untitled'),
        sign: <StatusSign group={status.statusGroup.label} />,
        code,
        run: toTicket(code),
      })),
    isSearching: isSearched && (isPending || isPlaceholderData),
  };
}
