import { Link } from '@tanstack/react-router';
import { useTranslations } from 'use-intl';

import { withTexts } from '../kit/more-texts.tsx';
import states from '../kit/states.module.css';
import { Empty } from '../kit/states.tsx';
import { useListAddress } from '../list/views.ts';
import { notThere } from '../messages/not-there.ts';

const TEXTS = { notThere };

/** Why there is no ticket here, and the way back. Loaded when it is needed: hardly any page is without its ticket. */
export const NotThere = withTexts(TEXTS, Card);

/** @param wasThere the person could read it until now. */
function Card({ code, wasThere }: { code: string; wasThere: boolean }) {
  const t = useTranslations('notThere');
  const ticket = useTranslations('ticket');
  const list = useListAddress();
  return (
    <Empty title={t(wasThere ? 'goneTitle' : 'noneTitle', { code })} isPage>
      <p>{t(wasThere ? 'goneMore' : 'noneMore')}</p>
      <p className={states['way']}>
        <Link {...list}>{ticket('back')}</Link>
      </p>
    </Empty>
  );
}
