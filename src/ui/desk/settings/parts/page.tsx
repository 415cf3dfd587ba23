import { Link, useLocation, useNavigate } from '@tanstack/react-router';
import { ChevronLeft } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { useTranslations } from 'use-intl';

import { Button } from '../../../kit/button.tsx';
import { Dialog } from '../../../kit/dialog.tsx';
import { TextField } from '../../../kit/field.tsx';
import { Tabs } from '../../../kit/tabs.tsx';
import type { SectionId } from '../section.ts';
import { SavedSign } from './fields.tsx';
import styles from './page.module.css';
import { Failure } from '../../kit/failure.tsx';
import { useSaved } from '../../kit/use-saved.ts';

/** One subject: its heading, a line about it, and its one action at the right. */
export function Page({
  title,
  intro,
  action,
  backTo,
  size = 'normal',
  children,
}: {
  title: ReactNode;
  intro?: ReactNode;
  action?: ReactNode;
  /** The section that has this record. */
  backTo?: SectionId;
  /** `wide` for tables and what stands beside a preview. */
  size?: 'normal' | 'wide';
  children: ReactNode;
}) {
  const t = useTranslations('settings');
  return (
    <div className={`${styles['page']} ${styles[size]}`}>
      {backTo && (
        <Link
          to="/settings/{-$section}/{-$item}"
          params={{ section: backTo, item: undefined }}
          className={styles['back']}
        >
          <ChevronLeft size={14} aria-hidden /> {t(`sections.${backTo}`)}
        </Link>
      )}
      <header className={styles['header']}>
        <h1>{title}</h1>
        {action}
      </header>
      {intro && <p className={styles['intro']}>{intro}</p>}
      {children}
    </div>
  );
}

/** Fields that belong together. */
export function Group({ title, help, children }: { title?: string; help?: ReactNode; children: ReactNode }) {
  return (
    <section className={styles['group']} {...(title && { 'aria-label': title })}>
      {title && <h2>{title}</h2>}
      {help && <p className={styles['help']}>{help}</p>}
      {children}
    </section>
  );
}

/** Fields beside each other where there is room. */
export function Fields({ children }: { children: ReactNode }) {
  return <div className={styles['fields']}>{children}</div>;
}

/** Tabs of a long page; the open one is in the address (`#chat`). */
export function PageTabs({
  label,
  tabs,
}: {
  label: string;
  tabs: readonly { id: string; title: string; content: ReactNode }[];
}) {
  const navigate = useNavigate();
  const hash = useLocation({ select: (location) => location.hash });
  const open = tabs.find(({ id }) => id === hash) ?? tabs[0];
  return (
    <Tabs
      label={label}
      tabs={tabs}
      selected={open?.id ?? ''}
      onSelect={(id) => void navigate({ to: '.', hash: id, replace: true, hashScrollIntoView: false })}
      panel={styles['panel']}
    />
  );
}

/** An irreversible action: the name is typed to confirm it. */
export function Danger({
  title,
  help,
  name,
  action,
  disabledBy,
  isReady = true,
  onOpen,
  onConfirm,
  children,
}: {
  /** The heading and the dialog's title: "Delete queue". */
  title: string;
  help: ReactNode;
  /** Typed to confirm. */
  name: string;
  /** The button's text; by default the title. */
  action?: string;
  /** The id of the text that says why it cannot be done now. */
  disabledBy?: string | undefined;
  /** Whether the questions among `children` are answered. */
  isReady?: boolean;
  onOpen?: () => void;
  onConfirm: () => Promise<unknown>;
  /** Further questions of the dialog. */
  children?: ReactNode;
}) {
  const [isOpen, setOpen] = useState(false);
  return (
    <section className={styles['danger']} aria-label={title}>
      <div>
        <h2>{title}</h2>
        <p className={styles['help']}>{help}</p>
      </div>
      <Button
        kind="danger"
        isDisabled={disabledBy !== undefined}
        {...(disabledBy && { 'aria-describedby': disabledBy })}
        onPress={() => {
          onOpen?.();
          setOpen(true);
        }}
      >
        {action ?? title}
      </Button>
      {isOpen && (
        <ConfirmByName
          title={title}
          help={help}
          name={name}
          isReady={isReady}
          action={action ?? title}
          onConfirm={onConfirm}
          onClose={() => setOpen(false)}
        >
          {children}
        </ConfirmByName>
      )}
    </section>
  );
}

/** Asks for the name of what is about to be deleted. Stays open with the reason if that fails. */
export function ConfirmByName({
  title,
  help,
  name,
  action,
  isReady = true,
  onConfirm,
  onClose,
  children,
}: {
  title: string;
  help: ReactNode;
  name: string;
  action: string;
  /** Whether the questions among `children` are answered. */
  isReady?: boolean;
  onConfirm: () => Promise<unknown>;
  onClose: () => void;
  /** Further questions. */
  children?: ReactNode;
}) {
  const t = useTranslations('settings');
  const common = useTranslations('common');
  const saved = useSaved();
  const [typed, setTyped] = useState('');
  const isSame = typed.trim().toLocaleLowerCase() === name.trim().toLocaleLowerCase();
  const confirm = async () => {
    if (isSame && isReady && !saved.isSaving && (await saved.save(onConfirm))) onClose();
  };
  return (
    <Dialog
      title={title}
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{common('cancel')}</Button>
          <Button
            kind="danger"
            isDisabled={!isSame || !isReady}
            isPending={saved.isSaving}
            onPress={() => void confirm()}
          >
            {action}
          </Button>
        </>
      }
    >
      <p>{help}</p>
      {children}
      <form
        onSubmit={(event) => {
          event.preventDefault();
          void confirm();
        }}
      >
        <TextField
          label={t('typeName', { name })}
          validationBehavior="aria"
          value={typed}
          onChange={setTyped}
          autoFocus
          autoComplete="off"
          error={saved.error}
        />
      </form>
      <SavedSign of={saved} isQuiet />
    </Dialog>
  );
}

/** A form that makes a record: its fields, and the reason if it was refused; what was typed stays. */
export function NewDialog({
  title,
  action,
  isReady,
  create,
  onClose,
  children,
}: {
  title: string;
  /** The button's text: "Create queue". */
  action: string;
  /** Whether everything needed was filled in. */
  isReady: boolean;
  /** Closes the dialog when it succeeded. */
  create: () => Promise<unknown>;
  onClose: () => void;
  children: ReactNode;
}) {
  const common = useTranslations('common');
  const saved = useSaved();
  const submit = async () => {
    if (isReady && !saved.isSaving && (await saved.save(create))) onClose();
  };
  return (
    <Dialog title={title} onClose={onClose}>
      <form
        className={styles['form']}
        onSubmit={(event) => {
          event.preventDefault();
          void submit();
        }}
      >
        {children}
        <Failure text={saved.error} />
        <div className={styles['buttons']}>
          <Button onPress={onClose}>{common('cancel')}</Button>
          <Button type="submit" kind="primary" isDisabled={!isReady} isPending={saved.isSaving}>
            {action}
          </Button>
        </div>
      </form>
    </Dialog>
  );
}
