export {
  migrateService,
  openService,
  type OpenService,
  type Service,
  type ServiceOptions,
  startService,
} from './service.ts';
export type { DemoThread } from './demo/chat.ts';
export { openKeys } from './keys/operate.ts';
export { docsPlugin } from './http/openapi-page.ts';
export { ApplicationsError, importApplications } from './applications/import.ts';
