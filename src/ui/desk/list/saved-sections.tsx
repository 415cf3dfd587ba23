import { Ellipsis, ListFilter } from 'lucide-react';
import { useState } from 'react';
import { useTranslations } from 'use-intl';

import { Late } from '../../kit/late.tsx';
import { part } from '../../kit/part.ts';
import { IconButton } from '../../kit/button.tsx';
import { MoreTexts } from '../kit/more-texts.tsx';
import { Opener } from '../../kit/opener.tsx';
import { listParts } from '../messages/list-parts.ts';
import { usePinned } from './display.ts';
import styles from './list.module.css';
import { ViewLink } from './view-link.tsx';
import { useSavedViews, type View } from './views.ts';

const ViewMenu = part(() => import('./view-menu.tsx').then(({ ViewMenu }) => ViewMenu));
const SaveView = part(() => import('./save-view.tsx').then(({ SaveView }) => SaveView));

const TEXTS = { listParts };

/** The views that were saved: those that the person has pinned, or their other ones and shared ones. */
export function SavedSections(props: { arePinned: boolean; link: object }) {
  return (
    <MoreTexts texts={TEXTS}>
      <Sections {...props} />
    </MoreTexts>
  );
}

function Sections({ arePinned, link }: { arePinned: boolean; link: object }) {
  const t = useTranslations('listParts.views');
  const saved = useSavedViews().toSorted((one, other) => (one.position ?? 0) - (other.position ?? 0));
  const pinned = usePinned();
  const others = saved.filter(({ id }) => !pinned.includes(id));
  const sections: [title: 'pinnedViews' | 'yourViews' | 'sharedViews', views: View[]][] = arePinned
    ? // In the order in which they were pinned.
      [['pinnedViews', pinned.flatMap((id) => saved.find((view) => view.id === id) ?? [])]]
    : [
        ['yourViews', others.filter(({ isShared }) => !isShared)],
        ['sharedViews', others.filter(({ isShared }) => isShared)],
      ];
  return sections.map(
    ([title, views]) =>
      views.length > 0 && (
        <section key={title}>
          <h2>{t(title)}</h2>
          <ul>
            {views.map((view) => (
              <Saved key={view.id} view={view} views={views} link={link} />
            ))}
          </ul>
        </section>
      ),
  );
}

function Saved({ view, views, link }: { view: View; views: readonly View[]; link: object }) {
  const t = useTranslations('listParts.views');
  const [isEditing, setEditing] = useState(false);
  const name = view.name ?? view.id;
  const label = t('viewActions', { name });
  return (
    <li className={styles['saved']}>
      <ViewLink view={view.id} name={name} Sign={ListFilter} link={link} />
      <Opener
        opens="menu"
        button={
          <IconButton label={label}>
            <Ellipsis size={14} aria-hidden />
          </IconButton>
        }
      >
        {({ trigger, close }) => (
          <ViewMenu
            view={view}
            views={views}
            label={label}
            trigger={trigger}
            onEdit={() => setEditing(true)}
            onClose={close}
          />
        )}
      </Opener>
      <Late>{isEditing && <SaveView edited={view} onClose={() => setEditing(false)} />}</Late>
    </li>
  );
}
