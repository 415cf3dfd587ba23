/** A ticket: its conversation, its composer and its details. */
export function Conversation({ code }: { code: string }) {
  return <main>{code}</main>;
}
