import { ArrowLeft } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';

import { NativeButton, NativeIconButton } from '../kit/native-button.tsx';
import { api } from './api.ts';
import { attempt } from './attempt.ts';
import { Blocks } from './blocks/draw.tsx';
import type { Surface } from './blocks/surface.ts';
import { plain } from './blocks/text.tsx';
import { focusComposer } from './composer.tsx';
import { notifyError } from './notice.ts';
import { Dialog } from './parts/dialog.tsx';
import { store } from './store.ts';
import type { View } from './types.ts';
import { views } from './views.ts';

/** The modal that an app has open for the acting person: the view on top of its stack, if any. */
export function AppModal() {
  const view = views.stack.at(-1);
  const wasOpen = useRef(false);
  const isOpen = view !== undefined;
  useEffect(() => {
    // What opened it may be gone.
    if (wasOpen.current && !isOpen && document.activeElement === document.body) focusComposer();
    wasOpen.current = isOpen;
  }, [isOpen]);
  return view ? <OpenView view={view} /> : null;
}

/** Errors of fields that the user has changed are hidden until the form is submitted again. */
interface Mended {
  errors: string;
  blocks: readonly string[];
}

function OpenView({ view }: { view: View }) {
  const [isBusy, setBusy] = useState(false);
  const isLeaving = useRef(false);
  const errors = JSON.stringify([view.id, view.errors]);
  const [mended, setMended] = useState<Mended>({ errors, blocks: [] });
  const mendedBlocks = mended.errors === errors ? mended.blocks : [];
  useFocusOnErrors(view, isBusy);

  const submit = async () => {
    if (isBusy || !view.submit) return;
    setBusy(true);
    setMended({ errors, blocks: [] });
    const answer = await attempt(
      api.submitView({ user: store.me, viewId: view.id, values: views.filled(view) }),
    );
    setBusy(false);
    if (!answer) return;
    void views.takeAnswer(answer.views);
    if (answer.result === 'failed')
      notifyError(
        answer.error === 'dispatch_failed'
          ? 'The app is not connected, so it did not receive this.'
          : `The app's answer could not be used: ${answer.messages?.join(' ') || (answer.error ?? '')}`,
      );
  };
  /**
   * Escape and the close button close the top view; the cross closes all of them. The app is notified if it asked for
   * it.
   */
  const leave = async (all: boolean) => {
    if (isBusy || isLeaving.current) return;
    isLeaving.current = true;
    const answer = await attempt(api.closeView({ user: store.me, all }));
    isLeaving.current = false;
    if (answer) void views.takeAnswer(answer.views);
  };

  const surface: Surface = {
    ...views.surface(view),
    errors: Object.fromEntries(
      Object.entries(view.errors).filter(([blockId]) => !mendedBlocks.includes(blockId)),
    ),
    mend: (blockId) => setMended({ errors, blocks: [...mendedBlocks, blockId] }),
  };
  const under = views.stack.at(-2);
  return (
    <Dialog
      title={plain(view.title)}
      contentKey={view.id}
      isDismissable={false}
      onClose={() => void leave(false)}
      onCross={() => void leave(true)}
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
      before={under && <BackButton title={plain(under.title)} onPress={() => void leave(false)} />}
      beside={<span className="dim">{store.apps.find(({ id }) => id === view.app_id)?.name}</span>}
      footer={
        <>
          <NativeButton onClick={() => void leave(false)}>
            {plain(view.close) || (view.submit ? 'Cancel' : 'Close')}
          </NativeButton>
          {view.submit && (
            <NativeButton type="submit" kind="primary" isPending={isBusy}>
              {plain(view.submit)}
            </NativeButton>
          )}
        </>
      }
    >
      <div className="blocks">
        {view.notice && (
          <p className="block-alert error" role="alert">
            {view.notice}
          </p>
        )}
        <Blocks blocks={view.blocks} surface={surface} />
      </div>
    </Dialog>
  );
}

function BackButton({ title, onPress }: { title: string; onPress: () => void }) {
  return (
    <NativeIconButton label={`Back to ${title}`} onClick={onPress}>
      <ArrowLeft size={18} aria-hidden />
    </NativeIconButton>
  );
}

/** After an answer with errors, the first field that is wrong gets the focus. */
function useFocusOnErrors(view: View, isBusy: boolean): void {
  const errors = JSON.stringify(view.errors);
  useEffect(() => {
    if (!isBusy)
      document.querySelector<HTMLElement>('[role=dialog] [data-wrong] :is(input, textarea)')?.focus();
  }, [errors, isBusy]);
}
