import { z } from 'zod';

import {
  allow,
  askedIn,
  authorizeQuery,
  AuthorizeRefused,
  cancel,
  installers,
  organisationInstallers,
} from '../oauth/authorize.ts';
import { channelName, role, timeZone } from '../seed.ts';
import { letIn, shutOut, uninstall, uninstallFromOrganisation } from '../workspace/installations.ts';
import { setSharedWith } from '../workspace/channels.ts';
import type { Workspace } from '../workspace/workspace.ts';
import type { Workspaces } from '../workspace/workspaces.ts';
import { someone } from './fields.ts';
import { ControlError, type Finders } from './find.ts';

const REQUESTS = {
  addWorkspace: z.object({
    name: z.string().min(1).max(80),
    domain: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'a domain is lower case: letters, digits, hyphens'),
    people: z
      .array(
        z.object({
          name: z.string().regex(/^[^\s@<>|]{1,80}$/, 'a name has up to 80 characters and no spaces'),
          firstName: z.string().default(''),
          lastName: z.string().default(''),
          email: z.email().or(z.literal('')).default(''),
          timeZone: timeZone.default('UTC'),
          role: role.default('member'),
        }),
      )
      .default([]),
    channels: z
      .array(
        z.object({
          name: channelName,
          private: z.boolean().default(false),
          /** Names of `people`; everybody where it is absent. */
          members: z.array(someone).optional(),
        }),
      )
      .default([]),
  }),
  allow: z.object({
    /** Where the app sent the person: `…/oauth/v2/authorize?…`. */
    url: z.url(),
    user: someone,
    /** Cancel is pressed instead. */
    cancel: z.boolean().default(false),
    /** For the whole organisation of the workspace. */
    forOrganisation: z.boolean().default(false),
  }),
  uninstall: z.object({ team: z.string().min(1) }),
  addOrganisation: z.object({
    name: z.string().min(1).max(80),
    domain: z.string().regex(/^[a-z0-9][a-z0-9-]{0,62}$/, 'a domain is lower case: letters, digits, hyphens'),
    workspaces: z.array(z.string().min(1)).min(1),
  }),
  shareWithin: z.object({ channel: z.string().min(1), with: z.array(z.string().min(1)) }),
  teamAccess: z.object({ team: z.string().min(1), granted: z.boolean().default(true) }),
} as const;

type Request<Name extends keyof typeof REQUESTS> = z.input<(typeof REQUESTS)[Name]>;

/** What workspaces there are, and what is installed in them. */
export interface WorkspaceControl {
  /** Another workspace, without the app; ids by name. */
  addWorkspace(
    request: Request<'addWorkspace'>,
  ): Promise<{ team: string; people: Record<string, string>; channels: Record<string, string> }>;
  /** Presses Allow (or Cancel) on the page that asks whether an app may be installed; where the person goes then. */
  allow(request: Request<'allow'>): Promise<{ redirect: string }>;
  /** Takes the app out of a workspace, or out of an organisation, by its id, its domain or its name. */
  uninstall(request: Request<'uninstall'>): Promise<void>;
  /** Makes an organisation (Enterprise Grid) of workspaces. */
  addOrganisation(request: Request<'addOrganisation'>): Promise<{ organisation: string }>;
  /** Gives a channel to further workspaces of its organisation, and to no others. */
  shareWithin(request: Request<'shareWithin'>): Promise<void>;
  /** Lets the app of its organisation into a workspace, or shuts it out. */
  teamAccess(request: Request<'teamAccess'>): Promise<void>;
}

export function createWorkspaceControl(
  workspaces: Workspaces,
  workspace: Workspace,
  find: Finders,
): WorkspaceControl {
  const { ids, directory } = workspace;
  return {
    async addWorkspace(request) {
      const asked = REQUESTS.addWorkspace.parse(request);
      if (workspaces.all.some((one) => one.directory.team.domain === asked.domain))
        throw new ControlError(`the domain "${asked.domain}" is taken`);
      const people = asked.people.map((person) => ({
        ...person,
        id: ids.slackId('U'),
        title: '',
        deleted: false,
      }));
      const idOf = new Map(people.map(({ name, id }) => [name, id]));
      if (idOf.size < people.length) throw new ControlError('two people have the same name');
      const channels = asked.channels.map((channel) => ({
        id: ids.slackId('C'),
        name: channel.name,
        private: channel.private,
        members: (channel.members ?? [...idOf.keys()]).map((name) => {
          const id = idOf.get(name);
          if (id === undefined) throw new ControlError(`there is no person "${name}" in this workspace`);
          return id;
        }),
      }));
      const channelIds = Object.fromEntries(channels.map(({ name, id }) => [name, id]));
      if (Object.keys(channelIds).length < channels.length)
        throw new ControlError('two channels have the same name');
      const team = { id: ids.slackId('T'), name: asked.name, domain: asked.domain };
      workspaces.add({ team, people, channels, userGroups: [], emoji: {} });
      return { team: team.id, people: Object.fromEntries(idOf), channels: channelIds };
    },

    async allow(request) {
      const { url, user, cancel: cancelled, forOrganisation } = REQUESTS.allow.parse(request);
      const query = authorizeQuery.parse(Object.fromEntries(new URL(url).searchParams));
      const person = find.person(user);
      const may = forOrganisation ? organisationInstallers : installers;
      if (!may(directory).some(({ id }) => id === person.id))
        throw new ControlError(`"${person.name}" may not install apps`);
      const organisation = forOrganisation ? directory.team.organisation : undefined;
      try {
        const asked = askedIn(workspaces, query);
        return { redirect: cancelled ? cancel(asked) : allow(workspace, asked, person, organisation) };
      } catch (error) {
        throw error instanceof AuthorizeRefused ? new ControlError(error.code) : error;
      }
    },

    async uninstall(request) {
      const { team } = REQUESTS.uninstall.parse(request);
      const organisation = workspaces.organisations.find(team);
      const from = organisation ? undefined : workspaces.find(team);
      const [registered] = workspaces.apps.values();
      if (organisation) {
        const app = workspaces.organisations.app(organisation.id, registered?.id ?? '');
        if (!app) throw new ControlError('no app is installed in this organisation');
        uninstallFromOrganisation(workspaces, organisation, app);
        return;
      }
      if (!from) throw new ControlError(`there is no workspace "${team}" here`);
      const [app] = from.directory.apps.values();
      if (!app) throw new ControlError('no app is installed in this workspace');
      uninstall(workspaces, from, app);
    },

    async addOrganisation(request) {
      const { name, domain, workspaces: named } = REQUESTS.addOrganisation.parse(request);
      const members = named.map((one) => {
        const found = workspaces.find(one);
        if (!found) throw new ControlError(`there is no workspace "${one}" here`);
        if (found.directory.team.organisation)
          throw new ControlError(`"${one}" is of an organisation already`);
        return found;
      });
      if (workspaces.organisations.find(domain)) throw new ControlError(`the domain "${domain}" is taken`);
      const organisation = { id: ids.slackId('E'), name, domain };
      workspaces.unite(organisation, members);
      return { organisation: organisation.id };
    },

    async shareWithin(request) {
      const { channel: place, with: named } = REQUESTS.shareWithin.parse(request);
      const channel = find.channel(place, undefined);
      const { organisation } = directory.team;
      const teams = named.map((one) => {
        const found = workspaces.find(one)?.directory.team;
        if (!organisation || found?.organisation?.id !== organisation.id)
          throw new ControlError(`"${one}" is no workspace of the same organisation`);
        return found.id;
      });
      setSharedWith(workspace, channel, teams);
    },

    async teamAccess(request) {
      const { team, granted } = REQUESTS.teamAccess.parse(request);
      const found = workspaces.find(team);
      if (!found) throw new ControlError(`there is no workspace "${team}" here`);
      const { organisation } = found.directory.team;
      const [registered] = workspaces.apps.values();
      const app = organisation && workspaces.organisations.app(organisation.id, registered?.id ?? '');
      if (!app) throw new ControlError('the organisation of this workspace has not installed the app');
      const isIn = found.directory.apps.get(app.id)?.byOrganisation === true;
      if (granted && !isIn) letIn(found, organisation, app);
      if (!granted && isIn) shutOut(found, organisation, app);
    },
  };
}
