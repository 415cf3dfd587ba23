/** Only http(s), mail and telephone addresses become links. */
export function safeUrl(url: string | undefined): string | undefined {
  return typeof url === 'string' && /^(https?:|mailto:|tel:)/i.test(url) ? url : undefined;
}
