import { useState } from 'react';
import { useTranslations } from 'use-intl';

import type { TicketDetail } from '../api/types.ts';
import { Button } from '../../kit/button.tsx';
import { Dialog } from '../../kit/dialog.tsx';
import { TextField } from '../../kit/field.tsx';
import { withTexts } from '../kit/more-texts.tsx';
import { declining } from '../messages/dialogs.ts';
import { useChange } from './change.ts';

/** Asks why an approval is declined. The reason stays until it was written. */
export const Decline = withTexts({ declining }, Declining);

function Declining({ ticket, onClose }: { ticket: TicketDetail; onClose: () => void }) {
  const own = useTranslations('declining');
  const deciding = useTranslations('deciding');
  const common = useTranslations('common');
  const change = useChange(ticket);
  const [reason, setReason] = useState('');
  const [isBusy, setBusy] = useState(false);
  const decline = async () => {
    setBusy(true);
    const isDone = await change(
      { declinedAt: new Date().toISOString() },
      { ...(reason.trim() && { reason: reason.trim() }) },
    );
    setBusy(false);
    if (isDone) onClose();
  };
  return (
    <Dialog
      title={own('title', { code: ticket.code })}
      onClose={onClose}
      footer={
        <>
          <Button onPress={onClose}>{common('cancel')}</Button>
          <Button kind="primary" isPending={isBusy} onPress={() => void decline()}>
            {deciding('decline')}
          </Button>
        </>
      }
    >
      <TextField
        label={own('reason')}
        help={own('help')}
        value={reason}
        onChange={setReason}
        rows={3}
        autoFocus
      />
    </Dialog>
  );
}
