import { Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';

import { NativeButton } from '../../kit/native-button.tsx';
import { confirmDialog } from '../parts/dialog.tsx';
import { safeUrl } from '../safe-url.ts';
import type { BlockElement } from '../types.ts';
import type { ElementProps, Tool } from './surface.ts';
import { plain, Words } from './text.tsx';

/** Shows the element's confirmation dialog (`confirm`), if it has one; resolves to whether to continue. */
export async function agreed({ confirm }: BlockElement): Promise<boolean> {
  if (!confirm) return true;
  return confirmDialog({
    title: plain(confirm.title) || 'Are you sure?',
    text: <Words text={confirm.text} />,
    confirm: plain(confirm.confirm) || 'Yes',
    deny: plain(confirm.deny) || 'No',
    style: confirm.style,
  });
}

/** Acts once the person has agreed; at once if nothing is asked. */
export function whenAgreed(element: BlockElement, act: () => void): void {
  if (!element.confirm) act();
  else void agreed(element).then((isAgreed) => isAgreed && act());
}

export function ButtonElement({ element, tool }: ElementProps) {
  const url = safeUrl(element.url);
  return (
    <BusyButton
      style={element.style}
      label={element.accessibility_label}
      onPress={() => press(element, tool, url)}
    >
      <Words text={element.text} />
      {url !== undefined && (
        <span className="block-out" aria-hidden="true">
          ↗
        </span>
      )}
    </BusyButton>
  );
}

async function press(element: BlockElement, tool: Tool, url?: string): Promise<(() => unknown) | undefined> {
  if (!(await agreed(element))) return undefined;
  if (url !== undefined) window.open(url, '_blank', 'noreferrer,noopener');
  return () => tool.tell(element.value);
}

/** Shows that a request is in progress and ignores a second press. */
function BusyButton({
  style,
  label,
  title,
  onPress,
  children,
}: {
  style?: string | undefined;
  label?: string | undefined;
  title?: string;
  /** Resolves to what to do, unless the person thought better of it. */
  onPress: () => Promise<(() => unknown) | undefined>;
  children: ReactNode;
}) {
  const [isBusy, setBusy] = useState(false);
  const onClick = async () => {
    const work = await onPress();
    if (!work) return;
    setBusy(true);
    try {
      await work();
    } finally {
      setBusy(false);
    }
  };
  return (
    <NativeButton
      kind={style === 'primary' || style === 'danger' ? style : 'plain'}
      aria-label={label}
      title={title}
      isPending={isBusy}
      onClick={() => void onClick()}
    >
      {children}
    </NativeButton>
  );
}

export function IconButtonElement({ element, tool }: ElementProps) {
  const label = plain(element.text) || 'Action';
  return (
    <BusyButton label={label} title={label} onPress={() => press(element, tool)}>
      {element.icon === 'trash' ? <Trash2 size={18} aria-hidden /> : label}
    </BusyButton>
  );
}

export function FeedbackElement({ element, tool }: ElementProps) {
  return [element.positive_button, element.negative_button]
    .filter((each) => each !== undefined)
    .map((each) => (
      <BusyButton
        key={each.value}
        label={each.accessibility_label}
        onPress={() => Promise.resolve(() => tool.tell(each.value))}
      >
        <Words text={each.text} />
      </BusyButton>
    ));
}
