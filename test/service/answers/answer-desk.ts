import type { Answer } from '../../../src/client/index.ts';
import { patientClient } from '../../harness/patient-client.ts';
import { until } from '../../harness/until.ts';
import { type Running, type Settings, startTestService } from '../harness.ts';
import { openTables } from '../world.ts';

export type Message = Answer<'listTicketMessages'>['items'][number];

/** A service with a queue with AI agents, one agent that knows one document, and requesters. */
export async function startDesk(settings: Settings = {}, agentMore: object = {}) {
  const running = await startTestService(settings);
  return { ...running, ...(await setUpDesk(running, agentMore)) };
}

/** The same at a running service. */
export async function setUpDesk(
  running: Pick<Running, 'url' | 'token' | 'databaseUrl'>,
  agentMore: object = {},
) {
  const service = patientClient(running);
  const desk = await service.createQueue({
    body: { name: 'IT', prefix: 'IT', settings: { aiEnabled: true } },
  });
  const { id: kb } = await service.saveKnowledgeBase({ body: { name: 'Handbook' } });
  await service.createKnowledgeBaseDocument({
    params: { id: kb },
    body: {
      title: 'VPN: version 5.2.1 drops',
      content: 'Version 5.2.1 disconnects every few minutes. Install **5.2.2** from the software centre.',
      url: 'https://handbook.example/vpn',
    },
  });
  const { id: personalityId } = await service.savePersonality({
    body: { persona: 'a calm colleague', tone: 'friendly', length: 'short', greeting: 'Hello!' },
  });
  const agent = await service.saveAgent({
    body: { name: 'Patch', queueIds: [desk.id], kbIds: [kb], personalityId, ...agentMore },
  });
  const person = async (firstName: string) =>
    (await service.createUser({ body: { firstName, email: `${firstName}@acme.example` } })).id;
  const [ada, mira] = [await person('Ada'), await person('Mira')];
  const tables = openTables(running);

  const messages = async (ticketId: string): Promise<Message[]> =>
    (await service.listTicketMessages({ query: { ticketId } })).items;
  return {
    service,
    desk,
    agent,
    ada,
    mira,
    tables,
    messages,
    ask: (title: string, more: object = {}) =>
      service.createTicket({ body: { title, requesterId: ada, queueId: desk.id, ...more } }),
    say: (ticketId: string, authorId: string, content: string, more: object = {}) =>
      service.createTicketMessage({ body: { ticketId, authorId, content, ...more } }),
    /** The AI agents' messages on a ticket. */
    answers: async (ticketId: string) =>
      (await messages(ticketId)).filter(({ source, private: isNote }) => source === 'AGENT' && !isNote),
    notes: async (ticketId: string) => (await messages(ticketId)).filter((message) => message.private),
    /** Waits until this many questions of a ticket are settled: their rows, oldest first. */
    settled: (ticketId: string, count = 1) =>
      until('the questions to be settled', async () => {
        const rows = await tables.db
          .selectFrom('ai_answer')
          .selectAll()
          .where('ticket_id', '=', ticketId)
          .orderBy('created_at')
          .execute();
        return rows.length >= count && rows;
      }),
  };
}
