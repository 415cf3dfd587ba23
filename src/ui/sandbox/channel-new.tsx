import { useState } from 'react';

import { NativeButton } from '../kit/native-button.tsx';
import { NativeField, NativeInput } from '../kit/native-field.tsx';
import { api } from './api.ts';
import { attempt } from './attempt.ts';
import { Dialog, dialogs } from './parts/dialog.tsx';
import { store } from './store.ts';

/** Creates a channel with the acting person as a member. */
export function openNewChannel(): void {
  dialogs.open((close) => <NewChannel onClose={close} />);
}

function NewChannel({ onClose }: { onClose: () => void }) {
  const [name, setName] = useState('');
  const [isPrivate, setPrivate] = useState(false);
  const create = async () => {
    const answer = await attempt(api.createChannel({ name, private: isPrivate, user: store.me }));
    if (!answer) return;
    onClose();
    await store.refresh();
    await store.open(answer.channel);
  };
  return (
    <Dialog
      title="Create a channel"
      onClose={onClose}
      onSubmit={(event) => {
        event.preventDefault();
        void create();
      }}
      footer={
        <NativeButton type="submit" kind="primary">
          Create
        </NativeButton>
      }
    >
      <NativeField label="Name" help="Lower case, without spaces">
        {(control) => (
          <NativeInput
            {...control}
            placeholder="facilities-help"
            maxLength={80}
            value={name}
            onChange={(event) =>
              setName(event.currentTarget.value.toLowerCase().replace(/[^a-z0-9_-]/g, '-'))
            }
          />
        )}
      </NativeField>
      <label className="choice">
        <input
          type="checkbox"
          checked={isPrivate}
          onChange={(event) => setPrivate(event.currentTarget.checked)}
        />
        <span>
          Private
          <small>Only people and apps that are invited can see it</small>
        </span>
      </label>
    </Dialog>
  );
}
