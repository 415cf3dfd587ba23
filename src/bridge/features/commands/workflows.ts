import { type Answer, AnsweredError } from '../../../client/index.ts';
import { escapeMrkdwn } from '../../../platform/text/mrkdwn.ts';
import type { Bridge } from '../../bridge.ts';
import { workspaceOfTicket } from '../../tickets/catalogue.ts';
import type { Ticket } from '../../tickets/find-ticket.ts';
import { matchName } from '../../tickets/rules.ts';
import { ticketLink } from '../../tickets/ticket-facts.ts';
import { refusalFor, whyRefused } from '../../tickets/update-ticket.ts';
import { severalOf } from './change.ts';
import { refuse, type Work } from './request.ts';

type Workflow = Answer<'listWorkflows'>['items'][number];

/** A workflow that people run by hand, under its name. */
interface Runnable {
  id: string;
  label: string;
}

/** The trigger for runs by hand. */
const BY_HAND = 'ticket.run';

/**
 * Returns the active workflows that can be run by hand on a ticket; none of a service that has no workflows. Throws
 * ServiceError.
 */
export async function runnableOn({ service }: Bridge, ticket: Ticket): Promise<Runnable[]> {
  const found: Runnable[] = [];
  const query = { workspaceId: workspaceOfTicket(ticket), state: 'Active' } as const;
  try {
    for await (const workflow of service.all('listWorkflows', { query }))
      if (isRunByHand(workflow, ticket)) found.push({ id: workflow.id, label: workflow.name });
  } catch (error) {
    if (!(error instanceof AnsweredError && error.missing)) throw error;
  }
  return found;
}

/** Whether it has a trigger for that, and one for the queue of the ticket. */
function isRunByHand({ steps }: Workflow, { queueId }: Ticket): boolean {
  return steps.some(({ action, inputs }) => {
    const only = inputs['queueId'];
    return action === BY_HAND && (!only || only === queueId);
  });
}

export const workflowCommands = {
  /** `/ticket run`: runs a workflow by hand, once for each command, whatever fails meanwhile. */
  run: {
    changes: true,
    async onTicket(bridge, { person, words, key }, ticket) {
      const refusal = await refusalFor(bridge, ticket, person, 'edit');
      if (refusal) return refusal;
      const workflows = await runnableOn(bridge, ticket);
      const reference = ticketLink(bridge, ticket.code);
      if (workflows.length === 0)
        return refuse(
          `No workflow can be run on ${reference}. An admin makes one at the help desk, with the trigger _When it is run by hand_, and activates it.`,
        );
      const match = matchName(words, workflows);
      if (!match || 'candidates' in match) return severalOf('workflow', words, match, workflows);
      const { id, label } = match.found;
      const name = `*${escapeMrkdwn(label)}*`;
      try {
        const body = { ticketId: ticket.id, key: `command ${key}`, userId: person.user_id };
        await bridge.service.runWorkflow({ params: { id }, body });
      } catch (error) {
        const why = whyRefused(error, 'this service does not run workflows.');
        return refuse(`${name} was not run on ${reference}: ${escapeMrkdwn(why)}`);
      }
      return { text: `${name} runs on ${reference}.` };
    },
  },
} satisfies Record<string, Work>;
