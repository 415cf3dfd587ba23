import type { ComponentType, ReactNode } from 'react';
import { IntlProvider, useLocale, useMessages } from 'use-intl';

/**
 * Adds the texts of a part of the desk that is loaded when it is opened, so that the first page need not bring them.
 */
export function MoreTexts({ texts, children }: { texts: object; children: ReactNode }) {
  const locale = useLocale();
  const messages = useMessages();
  return (
    <IntlProvider locale={locale} messages={{ ...messages, ...texts }}>
      {children}
    </IntlProvider>
  );
}

/** A component that brings the texts along that it alone needs. */
export const withTexts = <Props extends object>(texts: object, Component: ComponentType<Props>) =>
  function WithTexts(props: Props) {
    return (
      <MoreTexts texts={texts}>
        <Component {...props} />
      </MoreTexts>
    );
  };
