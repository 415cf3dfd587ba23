export {
  checkServiceSchema,
  migrateService,
  openService,
  type OpenService,
  type Service,
  type ServiceOptions,
  startService,
} from './service.ts';
export type { DemoThread } from './demo/chat.ts';
export { type ChatTeams, openChatTeams } from './chat-teams/operate.ts';
export { openKeys } from './keys/operate.ts';
export { SignInLinkError } from './sign-in/links.ts';
export { createSignInLink } from './sign-in/operate.ts';
export { type CheckedProvider, checkSignIn } from './sign-in/check.ts';
export type { ProviderOptions } from './sign-in/provider.ts';
export { docsPlugin } from './http/openapi-page.ts';
export { ApplicationsError, importApplications } from './applications/import.ts';
