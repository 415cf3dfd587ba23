export type { InstallKeyOptions } from './keys/install.ts';
export type { DemoData } from './schema/demo.ts';
export { migrateService, type Service, type ServiceOptions, startService } from './service.ts';
export { type Keys, type ListedKey, openKeys } from './keys/operate.ts';
