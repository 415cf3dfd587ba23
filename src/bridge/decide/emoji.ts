/** The emoji that opens a ticket (B1). */
export const TICKET_EMOJI = 'ticket';

/** How the bot marks a message that waits for the service, and one that can never cross (B47, B54). */
export const MARK_EMOJI = { waiting: 'hourglass_flowing_sand', failed: 'warning' } as const;

export type ReceiptMark = keyof typeof MARK_EMOJI;

/** Whether an emoji is kept for the bot's own marks: it is never synced, whoever gives it (B12, B54). */
export function isReserved(emoji: string): boolean {
  return Object.values<string>(MARK_EMOJI).includes(emoji);
}
