export function NewTicket() {
  return null;
}
