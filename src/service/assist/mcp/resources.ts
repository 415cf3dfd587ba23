/** Tickets and documents as resources, by the templates of their addresses. */
export const RESOURCE_TEMPLATES = [
  {
    uriTemplate: 'ticket://{ticket}',
    name: 'ticket',
    title: 'Ticket',
    description: 'A ticket with its newest messages, as get_ticket answers it: ticket://IT-42',
    mimeType: 'application/json',
  },
  {
    uriTemplate: 'document://{baseId}/{documentId}',
    name: 'document',
    title: 'Document',
    description: 'A document of a knowledge base, as search_documents names it.',
    mimeType: 'application/json',
  },
] as const;

/** Returns the tool and the input that read a resource; undefined for an address of another kind. */
export function resourceCall(uri: string): { tool: string; input: Record<string, string> } | undefined {
  const [, ticket] = /^ticket:\/\/([\w-]{1,100})$/.exec(uri) ?? [];
  if (ticket !== undefined) return { tool: 'get_ticket', input: { ticket } };
  const [, baseId, documentId] = /^document:\/\/([\w-]{1,100})\/([\w-]{1,100})$/.exec(uri) ?? [];
  if (baseId === undefined || documentId === undefined) return undefined;
  return { tool: 'read_document', input: { baseId, documentId } };
}
