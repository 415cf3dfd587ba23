import { useTranslations } from 'use-intl';

import type { Names } from './figures.ts';
import type { What } from './question.ts';

/** The texts of figures; groups without a text of their own have the name that the service returns. */
export function useNames(what: What): Names {
  const t = useTranslations('analytics');
  const common = useTranslations('common');
  return {
    what: t(`what.${what}`),
    soFar: (name) => t('soFar', { name }),
    weekOf: (day) => t('weekOf', { day }),
    group: (by, id, name) => {
      if (id === null || id === 'none')
        return by === 'assigneeId' || by === 'requesterId' || by === 'csatScore' || by === 'tags'
          ? t(`no.${by}`)
          : t('no.other');
      if (by === 'priority' && common.has(`priority.${id as 'HIGH'}`))
        return common(`priority.${id as 'HIGH'}`);
      if (by === 'source' && t.has(`sources.${id as 'WEB'}`)) return t(`sources.${id as 'WEB'}`);
      return name || id;
    },
  };
}
