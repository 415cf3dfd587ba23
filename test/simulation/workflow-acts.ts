import { AnsweredError } from '../../src/client/index.ts';
import { contentOf } from '../../src/service/workflow-config/outline.ts';
import { DEMO } from '../../src/start/demo.ts';
import { repeatUntilAccepted } from '../drills/harness/presses.ts';
import type { Conversation } from '../drills/harness/story.ts';
import type { SeenMessage } from '../harness/chat.ts';
import { Chance } from './chance.ts';
import type { Trouble } from './promises.ts';
import { rowsOf } from './rows.ts';
import {
  checkWorkflows,
  type Expected,
  type Request,
  type Run,
  type RunStep,
  type WorkflowRecords,
} from './workflow-judge.ts';
import { drawWorkflow, type Named, type Start, STARTS, TRIGGER, WORDS } from './workflow-outlines.ts';
import type { World } from './world.ts';

/** What people do with workflows. */
export const WORKFLOW_ACTS = ['run a workflow', 'publish a workflow', 'see to a run', 'decide'] as const;
export type WorkflowAct = (typeof WORKFLOW_ACTS)[number];

export const isWorkflowAct = (act: string): act is WorkflowAct =>
  (WORKFLOW_ACTS as readonly string[]).includes(act);

/** Of each seed that has some: at least so many, and up to so many more. */
const COUNT = { least: 2, more: 3 };
/** Channels in which workflows post, and people to whom they write. */
const CHANNELS = ['it-help', 'people-help'] as const;
const PEOPLE = ['sam', 'mira'] as const;
const DIRECT = '@deskbridge';
const APPROVE = 'approval_approve';
const REQUESTER = 'ada';

interface Active {
  id: string;
  name: string;
  start: Start;
  startedByHand: number;
}

/** Workflows that a seed draws, what people do with them, and what must have come of it in the end. */
export class Workflows {
  readonly #world: World;
  readonly #tell: (what: string) => void;
  readonly #active: Active[] = [];
  #named: Named = { tagIds: [], channelIds: [], userIds: [], workflowIds: [] };
  /** Of each conversation, how many lines it had when workflows were activated. */
  readonly #linesBefore = new Map<Conversation, number>();
  /** How often people gave a ticket another title since then. */
  readonly #titles = new Map<string, number>();

  constructor(world: World, tell: (what: string) => void) {
    this.#world = world;
    this.#tell = tell;
  }

  /** Draws workflows, and activates them. */
  async activate(seed: number, conversations: readonly Conversation[]): Promise<void> {
    const chance = new Chance(seed);
    const { client: service } = this.#world;
    this.#named = await this.#findNamed();
    for (let at = 0, count = COUNT.least + chance.below(COUNT.more); at < count; at++) {
      // The first is one that people and others can run.
      const start = at === 0 ? 'by hand' : chance.weighted(STARTS);
      const name = `w${at + 1}`;
      const outline = drawWorkflow(chance, name, start, this.#named);
      const { id } = await service.createWorkflow({ body: { name, ...contentOf(outline) } });
      await service.updateWorkflow({ params: { id }, body: { name, state: 'Active' } });
      if (start === 'by hand')
        this.#named = { ...this.#named, workflowIds: [...this.#named.workflowIds, id] };
      this.#active.push({ id, name, start, startedByHand: 0 });
      this.#tell(`the workflow ${name} (${id}) starts with ${start}: ${wordsOf(outline)}`);
    }
    for (const conversation of conversations) this.#linesBefore.set(conversation, conversation.lines.length);
  }

  /** Somebody gave a ticket another title. */
  titled({ ticketId }: Conversation): void {
    this.#titles.set(ticketId, (this.#titles.get(ticketId) ?? 0) + 1);
  }

  /** @param conversation whose ticket stays where it is. */
  async act(act: WorkflowAct, conversation: Conversation, chance: Chance): Promise<void> {
    if (this.#active.length === 0) {
      this.#tell('… there are no workflows');
      return;
    }
    switch (act) {
      case 'run a workflow': {
        const workflow = chance.oneOf(this.#active.filter(({ start }) => start === 'by hand'));
        const { ticketId } = conversation;
        await this.#world.client.runWorkflow({ params: { id: workflow.id }, body: { ticketId } });
        workflow.startedByHand += 1;
        this.#tell(`… ${workflow.name}`);
        return;
      }
      case 'publish a workflow': {
        const { id, name, start } = chance.oneOf(this.#active);
        const outline = drawWorkflow(chance, name, start, { ...this.#named, workflowIds: [] });
        const body = { name, state: 'Active', ...contentOf(outline) } as const;
        await this.#world.client.updateWorkflow({ params: { id }, body });
        this.#tell(`… ${name}: ${wordsOf(outline)}`);
        return;
      }
      case 'see to a run':
        return this.#seeTo(chance);
      case 'decide':
        return this.#decide(chance);
    }
  }

  /** Somebody who is asked for an approval decides: in chat if the question is there, else at the desk. */
  async #decide(chance: Chance): Promise<void> {
    const { chat } = this.#world;
    const [about, approves] = [chance.next(), chance.happens(0.6)];
    const undecided = await this.#undecided();
    const ticketId = undecided[Math.floor(about * undecided.length)];
    if (ticketId === undefined) {
      this.#tell('… nothing waits for an approval');
      return;
    }
    const [user, question] = approves ? await this.#questionOf(ticketId) : [];
    if (!user || !question) {
      await this.#decideAtDesk(ticketId, approves);
      this.#tell(`… ${approves ? 'approve' : 'decline'} ${ticketId} at the desk`);
      return;
    }
    this.#tell(`… ${user} approves ${ticketId}`);
    const press = { user, channel: question.channel, messageTs: question.ts, action: APPROVE };
    await repeatUntilAccepted('an approval', () => chat.post('interact', press));
  }

  /** Decides all that runs wait for: until then they do not end. */
  async decideAll(): Promise<void> {
    if (this.#active.length === 0) return;
    for (const ticketId of await this.#undecided()) await this.#decideAtDesk(ticketId, true);
  }

  async #decideAtDesk(ticketId: string, approves: boolean): Promise<void> {
    const { client: service } = this.#world;
    const { approvers } = await service.readTicket({ params: { id: ticketId } });
    const now = new Date().toISOString();
    const data = approves ? { approvedAt: now } : { declinedAt: now };
    const body = { data, approverId: approvers[0]?.id ?? null };
    try {
      await service.updateTicket({ params: { id: ticketId }, body });
    } catch (error) {
      // It was decided meanwhile.
      if (!(error instanceof AnsweredError && error.status === 409)) throw error;
    }
  }

  /** The person who was asked in chat, and the message with the buttons. */
  async #questionOf(ticketId: string): Promise<[user: string, question: SeenMessage] | []> {
    const { chat } = this.#world;
    for (const user of PEOPLE) {
      const messages = await chat.messages(DIRECT, user).catch(() => []);
      const question = messages.find(({ blocks }) => {
        const shown = JSON.stringify(blocks);
        return shown.includes(APPROVE) && shown.includes(`"${ticketId}"`);
      });
      if (question) return [user, question];
    }
    return [];
  }

  /** The tickets for whose decision a run waits. */
  async #undecided(): Promise<string[]> {
    return idsOf(
      await this.#select(
        `select distinct r.ticket_id as id from service.workflow_run_step s
         join service.workflow_run r on r.workspace_id = s.workspace_id and r.id = s.run_id
         where s.step_id like 'approval-%' and s.state = 'waiting' and r.state <> 'stopped' order by id`,
      ),
    );
  }

  /** Somebody stops a run, or tries a step again that failed, or goes on without it. */
  async #seeTo(chance: Chance): Promise<void> {
    const { client: service } = this.#world;
    const { items } = await service.listWorkflowRuns({ query: { limit: 1000, sortBy: 'createdAt' } });
    const failed = items.filter(({ state }) => state === 'failed');
    const live = items.filter(({ state }) => ['running', 'waiting', 'failed'].includes(state));
    const [how, stops] = [chance.weighted({ retry: 3, skip: 2 }), chance.happens(0.25)];
    const run = stops ? live.at(0) : failed.at(0);
    if (!run) {
      this.#tell('… there is none');
      return;
    }
    const { steps } = await service.readWorkflowRun({ params: { id: run.id } });
    const step = steps.find(({ state }) => state === 'failed');
    try {
      if (stops) await service.stopWorkflowRun({ params: { id: run.id } });
      else if (how === 'retry')
        await service.retryWorkflowStep({ params: { id: run.id }, body: { stepId: step?.stepId ?? '' } });
      else await service.skipWorkflowStep({ params: { id: run.id }, body: { stepId: step?.stepId ?? '' } });
    } catch (error) {
      // It went on meanwhile.
      if (!(error instanceof AnsweredError && error.status === 409)) throw error;
    }
    this.#tell(`… ${stops ? 'stop' : `${how} ${step?.stepId} (${step?.error}) of`} ${run.id}`);
  }

  /** What is not as it must be once nothing more happens, and how often each thing did. */
  async judge(
    conversations: readonly Conversation[],
  ): Promise<{ trouble: Trouble[]; outcomes: Record<string, number> }> {
    if (this.#active.length === 0) return { trouble: [], outcomes: {} };
    const records = await this.#records();
    return {
      trouble: checkWorkflows(records, await this.#expected(conversations)),
      outcomes: outcomesOf(records),
    };
  }

  /** The runs that must have started: of what people did on tickets that every workflow may read all the time. */
  async #expected(conversations: readonly Conversation[]): Promise<Expected[]> {
    const { client: service } = this.#world;
    const expected: Expected[] = [];
    for (const conversation of conversations) {
      const { ticketId, lines, isMoving } = conversation;
      if (isMoving) continue;
      const said = lines
        .slice(this.#linesBefore.get(conversation) ?? lines.length)
        .filter(({ deleted }) => !deleted);
      const { items } = await service.listTicketMessages({ query: { ticketId, limit: 1000 } });
      for (const { id: workflowId, name, start } of this.#active) {
        if (start === 'a new title')
          expected.push({
            workflowId,
            what: `${name}, for new titles of ${ticketId}`,
            times: this.#titles.get(ticketId) ?? 0,
            isOf: (run) => run.ticketId === ticketId,
          });
        if (start !== 'a reply of the requester' && start !== 'a reply of the team') continue;
        for (const line of said) {
          const isAsked = (start === 'a reply of the requester') === (line.by === REQUESTER);
          const message = items.find(
            ({ id, chatMessages }) => id === line.id || chatMessages.some(({ ts }) => ts === line.id),
          );
          if (!message) continue;
          expected.push({
            workflowId,
            what: `${name}, for “${line.text}”`,
            times: isAsked ? 1 : 0,
            isOf: (_run, { outputs }) => outputs?.['messageId'] === message.id,
          });
        }
      }
    }
    return [
      ...expected,
      ...this.#active
        .filter(({ start }) => start === 'by hand')
        .map(({ id: workflowId, name, startedByHand: times }) => ({
          workflowId,
          what: `${name}, by hand`,
          times,
          isOf: ({ chain }: Run) => chain.length === 1,
        })),
    ];
  }

  async #findNamed(): Promise<Named> {
    const { client: service } = this.#world;
    const { items: workspaces } = await service.listWorkspaces({ query: {} });
    const channelIds = CHANNELS.flatMap(
      (name) =>
        workspaces.flatMap(({ chatTriageChannels }) =>
          chatTriageChannels.filter(({ channelName }) => channelName === name),
        )[0]?.id ?? [],
    );
    const tagIds: string[] = [];
    for (const name of ['seen by a flow', 'marked by a flow'])
      tagIds.push((await service.createTag({ body: { name } })).id);
    const userIds: string[] = [];
    for (const name of PEOPLE) {
      const { items } = await service.listUsers({ query: { email: DEMO.people[name].email } });
      userIds.push(items[0]?.id ?? '');
    }
    return { tagIds, channelIds, userIds, workflowIds: [] };
  }

  async #records(): Promise<WorkflowRecords> {
    const decided = await this.#select<{ id: string; decision: string }>(
      `select id, approval ->> 'decision' as decision from service.ticket where approval is not null order by id`,
    );
    return {
      runs: await this.#select<Run>(
        `select id, workflow_id as "workflowId", ticket_id as "ticketId", event_id as "eventId", state, chain
         from service.workflow_run order by id`,
      ),
      steps: await this.#select<RunStep>(
        `select run_id as "runId", step_id as "stepId", state, outputs, error
         from service.workflow_run_step order by run_id, position`,
      ),
      requests: await this.#select<Request>(
        `select run_id as "runId", step_id as "stepId", state, content, message_ts as "messageTs"
         from service.chat_request order by id`,
      ),
      messages: idsOf(
        await this.#select(`select id from service.ticket_message where source = 'WORKFLOW' order by id`),
      ),
      tickets: idsOf(
        await this.#select(`select id from service.ticket where source = 'WORKFLOW' order by id`),
      ),
      decisions: new Map(decided.map(({ id, decision }) => [id, decision])),
      posts: await this.#posts(),
    };
  }

  #select<Row extends object>(statement: string): Promise<Row[]> {
    return rowsOf<Row>(this.#world.databases.service, statement);
  }

  async #posts(): Promise<{ text: string; ts: string }[]> {
    const { chat } = this.#world;
    const shown = [];
    for (const channel of CHANNELS) shown.push(...(await chat.messages(channel)));
    for (const user of PEOPLE) shown.push(...(await chat.messages(DIRECT, user).catch(() => [])));
    return shown.filter(
      ({ text, bot_id }) =>
        bot_id !== undefined && (text.startsWith(WORDS.post) || text.startsWith(WORDS.letter)),
    );
  }
}

const idsOf = (rows: readonly object[]): string[] => rows.map((row) => (row as { id: string }).id);

/** A workflow in one line. */
function wordsOf({ leads }: ReturnType<typeof drawWorkflow>): string {
  return leads
    .map(([from, to, criteria]) => `${from} → ${to}${criteria ? ` if ${JSON.stringify(criteria)}` : ''}`)
    .join(', ');
}

/** How often runs and steps ended in each way. */
function outcomesOf({ runs, steps, requests }: WorkflowRecords): Record<string, number> {
  const outcomes: Record<string, number> = {};
  const count = (what: string) => {
    outcomes[what] = (outcomes[what] ?? 0) + 1;
  };
  for (const { state, chain } of runs) {
    count(`a run is ${state}`);
    if (chain.length > 1) count(`a run that another one led to`);
  }
  for (const { stepId, state } of steps)
    if (stepId !== TRIGGER) count(`${stepId.replace(/-\d+$/, '').replaceAll('-', ' ')}: ${state}`);
  for (const { state } of requests) count(`asked of chat: ${state}`);
  return outcomes;
}
