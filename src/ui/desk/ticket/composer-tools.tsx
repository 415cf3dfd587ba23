import { AtSign, Eye, MessageSquareText, Smile } from 'lucide-react';
import type { RefObject } from 'react';
import { useTranslations } from 'use-intl';

import { PickFiles } from '../files/upload-list.tsx';
import type { Uploads } from '../files/uploads.ts';
import { IconButton } from '../../kit/button.tsx';
import styles from './composer.module.css';
import { FormatButtons } from './format-buttons.tsx';
import type { Trigger } from './text-edits.ts';

/** The toolbar of the composer. */
export function ComposerTools({
  field,
  uploads,
  isTeam,
  isPreview,
  onOffer,
  onPreview,
}: {
  field: RefObject<HTMLTextAreaElement | null>;
  uploads: Uploads;
  /** Colleagues and canned replies are offered too. */
  isTeam: boolean;
  isPreview: boolean;
  /** Offers what a sign suggests. */
  onOffer: (trigger: Trigger) => void;
  onPreview: () => void;
}) {
  const t = useTranslations('ticket');
  return (
    <div role="group" aria-label={t('toolbar')} className={styles['tools']}>
      <FormatButtons field={field} rare={styles['rare']} />
      {isTeam && (
        <IconButton label={t('mention')} keys="@" onPress={() => onOffer('@')}>
          <AtSign size={15} aria-hidden />
        </IconButton>
      )}
      <IconButton label={t('emoji')} keys=":" onPress={() => onOffer(':')}>
        <Smile size={15} aria-hidden />
      </IconButton>
      {isTeam && (
        <IconButton label={t('cannedReply')} keys="/" onPress={() => onOffer('/')}>
          <MessageSquareText size={15} aria-hidden />
        </IconButton>
      )}
      {!uploads.isAbsent && <PickFiles uploads={uploads} />}
      <span className={styles['onWideScreens']}>
        <IconButton label={t('preview')} aria-pressed={isPreview} onPress={onPreview}>
          <Eye size={15} aria-hidden />
        </IconButton>
      </span>
    </div>
  );
}
